from django.apps import AppConfig


class DlqConsoleConfig(AppConfig):
    name = "dlq_console"
    verbose_name = "Dead-letter console"
