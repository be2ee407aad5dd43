// Keys for those who go through many rows. They can be switched off, and never act while somebody types.
const KEY = "simplemq.shortcuts";
const help = document.getElementById("shortcuts");
const onOff = document.querySelector("[data-shortcuts-on]");

const areOn = () => {
  try {
    return localStorage.getItem(KEY) !== "off";
  } catch {
    return true;
  }
};

const rows = () => [...document.querySelectorAll("[data-row]")].filter((row) => row.offsetParent);
const current = () => document.activeElement?.closest("[data-row]");

function move(step) {
  const all = rows();
  if (!all.length) return;
  const at = all.indexOf(current());
  const next = at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + step, 0), all.length - 1);
  if (!all[next].hasAttribute("tabindex")) all[next].tabIndex = -1;
  all[next].focus();
}

// On a page about one thing, what can be done with it stands beside its heading.
const click = (selector) => (current() ?? document.querySelector(".page-actions"))?.querySelector(selector)?.click();
const search = () => document.querySelector("main [data-search]") ?? document.querySelector("[data-search]");

const ACTIONS = {
  "/": () => search()?.focus(),
  "?": () => help?.showModal(),
  j: () => move(1),
  k: () => move(-1),
  x: () => current()?.querySelector("input[type=checkbox]")?.click(),
  r: () => click("[data-requeue]"),
  e: () => (current()?.querySelector("[data-open]") ?? current()?.querySelector("summary, a[href]"))?.click(),
};

const isTyping = (element) => element?.closest("input:not([type=checkbox]), textarea, select, [contenteditable]");

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
  if (!areOn() || isTyping(event.target) || document.querySelector("dialog[open]")) return;
  const action = ACTIONS[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

if (onOff) {
  onOff.checked = areOn();
  onOff.addEventListener("change", () => {
    try {
      localStorage.setItem(KEY, onOff.checked ? "on" : "off");
    } catch {
      // Storage is blocked: they stay as they are.
    }
  });
}
