"""A live message. One row from its send to its end, whichever queues it passes through."""

from django.db import models
from django.db.models import Case, F, Func, Q, When
from django.db.models.functions import Now

from queues import ids
from queues.managers.message import MessageManager


class State(models.TextChoices):
    READY = "ready"
    LEASED = "leased"
    DELAYED = "delayed"
    EXHAUSTED = "exhausted"  # deliveries used up, waiting for room in the dead-letter queue
    EXPIRED = "expired"  # retention over, waiting to be logged and removed


PARKED = (State.LEASED, State.DELAYED)
ENDED = (State.EXHAUSTED, State.EXPIRED)


class UuidV7(Func):
    """PostgreSQL's time-ordered uuid: 62 random bits, and neighbours in time are neighbours in the index."""

    function = "uuidv7"
    template = "%(function)s()"
    output_field = models.UUIDField()


def in_queue_while(*states: State) -> models.GeneratedField:
    """A copy of queue_id that exists only in these states, for the index that finds messages in them.

    No other index can serve a statement that names it. With queue_id alone the planner, whose statistics of
    a table that fills and empties all day are always wrong, now and then walks a whole queue and sorts it.
    """
    return models.GeneratedField(
        expression=Case(When(state__in=states, then=F("queue_id"))),
        output_field=models.BigIntegerField(null=True),
        db_persist=True,
    )


class Message(models.Model):
    # The table's real primary key is (queue_id, id), made in the migration: it serves look-ups and
    # browsing alike, and every statement names the queue. Django is told `id`, which is unique too.
    id = models.UUIDField(primary_key=True, db_default=UuidV7(), editable=False)
    # No foreign key: it cost 14 % of inserts. A queue's messages are removed before its row is.
    queue_id = models.BigIntegerField()

    rank = models.BigIntegerField(db_default=0)  # delivery order: lowest first, then oldest id
    enqueued_at = models.DateTimeField(db_default=Now())  # when the producer sent it
    entered_at = models.DateTimeField(
        db_default=Now()
    )  # when it came into this queue; retention counts from here
    visible_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField(null=True)  # its own time to live, if shorter than the queue's
    first_delivered_at = models.DateTimeField(null=True)
    last_delivered_at = models.DateTimeField(null=True)
    sequence = models.BigIntegerField(
        null=True
    )  # its place in the line; only messages of FIFO queues have one
    receipt = models.UUIDField(null=True)
    delivery_count = models.IntegerField(db_default=0)
    max_deliveries = models.IntegerField(null=True)
    lease_expiry_count = models.IntegerField(db_default=0)
    nack_count = models.IntegerField(db_default=0)
    size_bytes = models.IntegerField()
    priority = models.SmallIntegerField(db_default=0)
    state = models.CharField(max_length=10, choices=State, db_default=State.READY)
    ready_in = in_queue_while(State.READY)
    parked_in = in_queue_while(*PARKED)
    ended_in = in_queue_while(*ENDED)
    data = models.TextField()
    attributes = models.JSONField(null=True)
    group_id = models.CharField(max_length=128, null=True)
    deduplication_id = models.CharField(max_length=128, null=True)
    key = models.CharField(max_length=200, null=True)
    trace_id = models.CharField(max_length=128, null=True)

    # What went wrong, carried into the dead-letter queue.
    leased_by = models.BigIntegerField(null=True)  # the API key that received it last
    history = models.JSONField(null=True)  # its last ends of leases, errors and moves, for the timeline
    first_failed_at = models.DateTimeField(null=True)
    last_failed_at = models.DateTimeField(null=True)
    last_error = models.JSONField(null=True)
    error_type = models.CharField(max_length=200, null=True)
    fingerprint = models.CharField(max_length=64, null=True)
    source_queue_id = models.BigIntegerField(null=True)
    dead_lettered_at = models.DateTimeField(null=True)
    dead_letter_reason = models.CharField(max_length=40, null=True)
    redrive_count = models.IntegerField(db_default=0)
    redrive_id = models.BigIntegerField(null=True)

    objects = MessageManager()

    class Meta:
        db_table = "message"
        indexes = [
            models.Index("ready_in", "rank", "id", name="message_ready", condition=Q(ready_in__isnull=False)),
            models.Index(
                "parked_in", "visible_at", name="message_parked", condition=Q(parked_in__isnull=False)
            ),
            models.Index(
                "ended_in", "state", "id", name="message_ended", condition=Q(ended_in__isnull=False)
            ),
            models.Index(
                "redrive_id", "queue_id", name="message_redriven", condition=Q(redrive_id__isnull=False)
            ),
            models.Index("queue_id", "expires_at", name="message_ttl", condition=Q(expires_at__isnull=False)),
            models.Index(
                "queue_id", "entered_at", name="message_dead", condition=Q(dead_lettered_at__isnull=False)
            ),
            models.Index(
                "queue_id",
                "fingerprint",
                "id",
                name="message_group",
                condition=Q(dead_lettered_at__isnull=False),
            ),
            models.Index(
                "queue_id",
                "group_id",
                "state",
                "sequence",
                name="message_in_line",
                condition=Q(sequence__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return self.public_id

    @property
    def public_id(self) -> str:
        return ids.message_id(self.id)
