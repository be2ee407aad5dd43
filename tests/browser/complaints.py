"""What a page has to complain about: errors, refused content, dialogs that nobody asked for."""

from playwright.sync_api import BrowserContext, ConsoleMessage, Dialog, WebError

# Refusals by the Content-Security-Policy are events of the document first of all.
REPORT_VIOLATIONS = """
document.addEventListener("securitypolicyviolation", (event) =>
  console.error(`refused by the policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
"""


class Complaints:
    def __init__(self) -> None:
        self.all: list[str] = []
        self.expected: list[str] = []

    def listen_to(self, context: BrowserContext) -> None:
        context.add_init_script(REPORT_VIOLATIONS)
        context.on("console", self._note_console)
        context.on("weberror", self._note_error)
        context.on("dialog", self._note_dialog)

    def expect(self, words: str) -> None:
        """Complaints with these words are what the test is about."""
        self.expected.append(words)

    def unexpected(self) -> list[str]:
        return [text for text in self.all if not any(words in text for words in self.expected)]

    def _note_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.all.append(f"{message.type}: {message.text}")

    def _note_error(self, error: WebError) -> None:
        self.all.append(f"error: {error.error}")

    def _note_dialog(self, dialog: Dialog) -> None:
        self.all.append(f"dialog: {dialog.message}")
        dialog.dismiss()
