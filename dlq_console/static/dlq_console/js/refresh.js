// Keeps the part of a page marked data-refresh up to date, at the pace chosen in its toolbar.
// It waits while nobody looks, and while somebody types or has ticked something in that part.
const KEY = "simplemq.refresh";
const select = document.querySelector("[data-refresh-choice]");
const region = () => document.querySelector("[data-refresh]");
let looking = document.hasFocus();
let timer = null;
let fetching = false;

const stored = () => {
  try {
    return localStorage.getItem(KEY) || "0";
  } catch {
    return "0";
  }
};

function isBusy(part) {
  const active = document.activeElement;
  const isTyping = part.contains(active) && active.matches("input:not([type=checkbox]), textarea, select");
  return isTyping || document.querySelector("dialog[open]") || part.querySelector("input[type=checkbox]:checked");
}

// What may be told apart by an address or a name keeps the focus and its open state.
const nameOf = (element) =>
  element?.id || element?.getAttribute("href") || element?.dataset.row || element?.getAttribute("aria-label") || "";
const find = (part, name) =>
  [...part.querySelectorAll("[id], [href], [data-row], [aria-label]")].find((element) => nameOf(element) === name);

function focusOn(element) {
  if (element?.matches("[data-row]")) element.tabIndex = -1;
  element?.focus({ preventScroll: true });
}

function swap(part, fresh) {
  const focused = part.contains(document.activeElement) ? nameOf(document.activeElement) : "";
  const open = [...part.querySelectorAll("details[id][open]")].map((details) => details.id);
  part.replaceWith(fresh);
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
  if (focused) focusOn(find(fresh, focused));
  window.htmx?.process(fresh);
  document.dispatchEvent(new CustomEvent("refreshed", { detail: fresh }));
}

async function refresh() {
  const part = region();
  if (!part || fetching || document.hidden || !looking || isBusy(part)) return;
  fetching = true;
  try {
    const response = await fetch(location.href, { headers: { "X-SimpleMQ-Refresh": "1" } });
    if (response.redirected) location.reload(); // signed out meanwhile
    if (!response.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const fresh = page.querySelector("[data-refresh]");
    if (fresh && part.isConnected && !isBusy(part)) swap(part, document.adoptNode(fresh));
  } catch {
    // The network is away: the next turn tries again.
  } finally {
    fetching = false;
  }
}

function restart() {
  clearInterval(timer);
  const seconds = Number(select.value);
  timer = seconds ? setInterval(refresh, seconds * 1000) : null;
}

// What asks by itself through htmx, as the progress of a redrive does, waits while its tab is hidden. It goes on
// beside another window: somebody may watch it there.
document.addEventListener("htmx:beforeRequest", (event) => {
  if (document.hidden && "X-SimpleMQ-Refresh" in event.detail.requestConfig.headers) event.preventDefault();
});

// Asked for at once, whatever pace is chosen: a list whose last row has gone, for one.
document.addEventListener("refresh", refresh);

if (select && region()) {
  select.value = stored();
  if (!select.value) select.value = "0";
  select.addEventListener("change", () => {
    try {
      localStorage.setItem(KEY, select.value);
    } catch {
      // Storage is blocked: the choice holds for this page only.
    }
    restart();
  });
  window.addEventListener("blur", () => (looking = false));
  window.addEventListener("focus", () => {
    looking = true;
    if (Number(select.value)) refresh();
  });
  restart();
}
