from django.apps import AppConfig


class QueuesConfig(AppConfig):
    name = "queues"
    verbose_name = "Queues"

    def ready(self) -> None:
        from queues import checks, events, metrics, shutdown, tallies, waiting  # noqa: F401

        events.subscribe(metrics.count)
        events.subscribe(tallies.note)
        events.subscribe(waiting.notice)
        shutdown.when_stopping(waiting.room.wake_all)
