// What htmx asked for and did not get is said on the page: else a click would seem to do nothing.
const AWAY = "The server cannot be reached. Whether it got this is not known: load the page again to see.";

// The answer is the page that a browser without scripts would show: its headings say what was wrong.
function wordsOf(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  const words = [...page.querySelectorAll("main h1, main .empty h2")].map((heading) => heading.textContent.trim());
  return words.join(". ") || "The server could not answer. Load the page again.";
}

function say(text) {
  const banner = document.createElement("div");
  banner.className = "banner banner-bad";
  banner.textContent = text;
  document.getElementById("notices").replaceChildren(banner);
}

// A page that keeps itself up to date tries again by itself.
const isAutomatic = (event) => "X-SimpleMQ-Refresh" in event.detail.requestConfig.headers;

document.addEventListener("htmx:responseError", (event) => {
  if (!isAutomatic(event)) say(wordsOf(event.detail.xhr.responseText));
});
document.addEventListener("htmx:sendError", (event) => {
  if (!isAutomatic(event)) say(AWAY);
});
