// Rows of a list: all of a page ticked at once, buttons that say how many, and what happens when a row goes.
const boxes = () => [...document.querySelectorAll("[data-tick]")];

function tell() {
  const all = boxes();
  const ticked = all.filter((box) => box.checked).length;
  for (const button of document.querySelectorAll("[data-ticked]")) {
    button.textContent = ticked ? `${button.dataset.ticked} ${ticked} ticked` : `${button.dataset.ticked} ticked`;
  }
  for (const box of document.querySelectorAll("[data-tick-all]")) {
    box.checked = ticked > 0 && ticked === all.length;
    box.indeterminate = ticked > 0 && ticked < all.length;
  }
}

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-tick-all]")) {
    for (const box of boxes()) box.checked = event.target.checked;
  }
  if (event.target.matches("[data-tick-all], [data-tick]")) tell();
});
document.addEventListener("refreshed", tell);

// A row that goes takes the focus with it: it moves on to the neighbour, so that the keys go on from there.
let neighbour = null;
document.addEventListener("htmx:beforeSwap", (event) => {
  const row = event.detail.target.closest("[data-row]");
  neighbour = row?.contains(document.activeElement) ? (row.nextElementSibling ?? row.previousElementSibling) : null;
});
document.addEventListener("htmx:afterOnLoad", () => {
  if (neighbour?.isConnected) {
    neighbour.tabIndex = -1;
    neighbour.focus();
  }
  neighbour = null;
  tell();
  // None is left here; the next page, or a word that there are none, has to be fetched.
  if (!document.querySelector("[data-row]")) document.dispatchEvent(new Event("refresh"));
});

tell();
