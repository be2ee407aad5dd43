// Classic and blocking, so that the page is never painted in the other theme first.
(() => {
  const KEY = "simplemq.theme";
  const root = document.documentElement;

  const chosen = () => {
    try {
      return localStorage.getItem(KEY) || "auto";
    } catch {
      return "auto"; // storage is blocked: follow the system
    }
  };
  const apply = (theme) => {
    if (theme === "auto") delete root.dataset.theme;
    else root.dataset.theme = theme;
    document.dispatchEvent(new Event("themechange"));
  };

  root.dataset.js = "";
  apply(chosen());

  document.addEventListener("DOMContentLoaded", () => {
    for (const select of document.querySelectorAll("[data-theme-choice]")) {
      select.value = chosen();
      select.addEventListener("change", () => {
        try {
          localStorage.setItem(KEY, select.value);
        } catch {
          // Storage is blocked: the choice holds for this page only.
        }
        apply(select.value);
      });
    }
  });
})();
