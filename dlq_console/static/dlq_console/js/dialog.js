// Buttons that open dialogs. The browser itself gives the focus back when one closes.
document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-dialog-open]");
  if (opener) {
    opener.closest("details.menu")?.removeAttribute("open");
    document.getElementById(opener.dataset.dialogOpen)?.showModal();
  }
  // The backdrop belongs to the dialog; whatever is inside it is a descendant.
  if (event.target instanceof HTMLDialogElement) event.target.close();
});

// A menu closes when one looks elsewhere.
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});
document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && document.activeElement?.closest("details.menu[open]");
  if (menu) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});
