from django.apps import AppConfig


class DlqConsoleConfig(AppConfig):
    name = "dlq_console"
    verbose_name = "Dead-letter console"

    def ready(self) -> None:
        from dlq_console import checks, sessions  # noqa: F401
