// A form is sent once, however often its button is clicked: the browser would show the answer to the last click,
// which finds the deed done already. A file leaves the page as it is, so the form may be sent again after a moment.
const MOMENT = 2000;
const sent = new WeakSet();

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post") return; // htmx sends it, or nothing is done by it
  if (sent.has(form)) {
    event.preventDefault();
    return;
  }
  sent.add(form);
  setTimeout(() => sent.delete(form), MOMENT);
});
