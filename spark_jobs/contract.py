"""The tables that the job reads and writes, column by column, as PostgreSQL names their types.

This is all that Spark and Django know of each other. The models of the service make the tables; a test
compares them with what is written here, so that neither side can drift.
"""

from dataclasses import dataclass

# How Spark has each type; what it does not know travels as text.
SPARK_TYPES = {
    "bigint": "long",
    "boolean": "boolean",
    "date": "date",
    "double precision": "double",
    "integer": "integer",
    "jsonb": "string",
    "smallint": "short",
    "text": "string",
    "timestamptz": "timestamp",
    "uuid": "string",
    "varchar": "string",
}


@dataclass(frozen=True)
class Table:
    name: str
    columns: dict[str, str]
    key: tuple[str, ...] = ()


# --- Read ----------------------------------------------------------------------------------------

# Every stay of a message in a queue, ended or not. A view, without bodies.
MESSAGE_STAY = Table(
    "message_stay",
    {
        "message_id": "uuid",
        "team_id": "bigint",
        "queue_id": "bigint",
        "enqueued_at": "timestamptz",  # when it came into this queue
        "first_delivered_at": "timestamptz",  # may be earlier: a dead letter keeps those of its first life
        "last_delivered_at": "timestamptz",
        "ended_at": "timestamptz",  # when it left the queue; null while it is there
        "logged_at": "timestamptz",  # when its end was logged; infinite while it is not
        "touched_at": "timestamptz",  # when anything last happened to it
        "leased_until": "timestamptz",  # null unless a consumer holds it
        "outcome": "varchar",  # null while it is there
        "delivery_count": "integer",
        "nack_count": "integer",
        "lease_expiry_count": "integer",
        "size_bytes": "integer",
        "group_id": "varchar",
        "error_type": "varchar",
        "fingerprint": "varchar",
    },
)

# Every stay that has ended, as it is archived.
MESSAGE_LOG = Table(
    "message_log",
    {
        "message_id": "uuid",
        "team_id": "bigint",
        "queue_id": "bigint",
        "enqueued_at": "timestamptz",
        "first_delivered_at": "timestamptz",
        "last_delivered_at": "timestamptz",
        "finished_at": "timestamptz",  # when its end was logged, which says the day it is archived by
        "left_at": "timestamptz",  # when it left the queue, if before
        "delivery_count": "integer",
        "nack_count": "integer",
        "lease_expiry_count": "integer",
        "size_bytes": "integer",
        "priority": "smallint",
        "outcome": "varchar",
        "group_id": "varchar",
        "error_type": "varchar",
        "fingerprint": "varchar",
        "redrive_id": "bigint",
    },
)

# Queues and the settings that advice is about: some of the columns there are.
QUEUE = Table(
    "queue",
    {
        "id": "bigint",
        "team_id": "bigint",
        "is_dlq": "boolean",
        "visibility_timeout": "integer",
        "max_deliveries": "integer",
        "retention_seconds": "integer",
        "queue_size": "integer",
        "target_age_seconds": "integer",
        "deleted_at": "timestamptz",
    },
)

# Dead letters with their bodies. A view: a role that may read it needs nothing else.
DEAD_LETTER = Table(
    "dead_letter",
    {
        "message_id": "uuid",
        "team_id": "bigint",
        "team_name": "varchar",
        "queue_id": "bigint",  # the dead-letter queue
        "queue_name": "varchar",
        "source_queue_id": "bigint",  # where it died
        "source_queue_name": "varchar",
        "dead_lettered_at": "timestamptz",  # says the day it is archived by
        "dead_letter_reason": "varchar",
        "enqueued_at": "timestamptz",  # when its producer sent it
        "entered_at": "timestamptz",  # retention counts from here
        "retention_seconds": "integer",
        "ttl_expires_at": "timestamptz",  # its own time to live
        "expires_at": "timestamptz",  # the earlier of both
        "first_delivered_at": "timestamptz",
        "last_delivered_at": "timestamptz",
        "first_failed_at": "timestamptz",
        "last_failed_at": "timestamptz",
        "delivery_count": "integer",
        "nack_count": "integer",
        "lease_expiry_count": "integer",
        "redrive_count": "integer",
        "max_deliveries": "integer",
        "priority": "smallint",
        "sequence": "bigint",
        "group_id": "varchar",
        "deduplication_id": "varchar",
        "key": "varchar",
        "trace_id": "varchar",
        "attributes": "jsonb",
        "error_type": "varchar",
        "fingerprint": "varchar",
        "last_error": "jsonb",
        "history": "jsonb",
        "size_bytes": "integer",
        "body": "text",
        "body_sha256": "text",  # as PostgreSQL computed it
    },
    # One death of one message. Restored or pulled back it is the same letter, dead again it is another one.
    key=("queue_id", "message_id", "dead_lettered_at"),
)

# --- Written -------------------------------------------------------------------------------------

BUCKET = {
    "team_id": "bigint",
    "queue_id": "bigint",
    "bucket_seconds": "integer",
    "bucket_start": "timestamptz",
    "run_id": "bigint",
}
BUCKET_KEY = ("queue_id", "bucket_seconds", "bucket_start")


def _percentiles(figure: str) -> dict[str, str]:
    return {
        f"{figure}_count": "bigint",
        f"{figure}_p50": "double precision",
        f"{figure}_p90": "double precision",
        f"{figure}_p95": "double precision",
        f"{figure}_p99": "double precision",
        f"{figure}_max": "double precision",
    }


QUEUE_METRICS = Table(
    "queue_metrics",
    {
        **BUCKET,
        "sent": "bigint",
        "received": "bigint",
        "received_estimated": "bigint",
        "acked": "bigint",
        "dead_lettered": "bigint",
        "expired": "bigint",
        "requeued": "bigint",
        "redriven": "bigint",
        "discarded": "bigint",
        "purged": "bigint",
        "queue_deleted": "bigint",
        "nacks": "bigint",
        "lease_expiries": "bigint",
        "bytes_sent": "bigint",
        "bytes_acked": "bigint",
        "sent_per_second": "double precision",
        "received_per_second": "double precision",
        "acked_per_second": "double precision",
        "dead_lettered_per_second": "double precision",
        "first_attempt_acked": "bigint",
        "first_attempt_success_rate": "double precision",
        "retries_histogram": "jsonb",
        **_percentiles("queueing_delay"),
        **_percentiles("processing"),
        "processing_sum": "double precision",
        "processing_sketch": "jsonb",
        **_percentiles("end_to_end"),
        "depth": "bigint",
        "depth_max": "bigint",
        "depth_avg": "double precision",
        "oldest_age_seconds": "double precision",
        "oldest_age_max_seconds": "double precision",
        "in_flight": "bigint",
        "in_flight_avg": "double precision",
        "in_flight_estimated": "bigint",
        "group_count": "integer",
        "noisy_group_count": "integer",
    },
    key=BUCKET_KEY,
)

QUEUE_GROUP_METRICS = Table(
    "queue_group_metrics",
    {
        **BUCKET,
        "group_id": "varchar",
        "sent": "bigint",
        "acked": "bigint",
        "dead_lettered": "bigint",
        "bytes_sent": "bigint",
        "processing_sum": "double precision",
        "sent_share": "double precision",
        "processing_share": "double precision",
        "noisy": "boolean",
    },
    key=(*BUCKET_KEY, "group_id"),
)

DLQ_ERROR_METRICS = Table(
    "dlq_error_metrics",
    {
        **BUCKET,
        "fingerprint": "varchar",
        "error_type": "varchar",
        "dead_lettered": "bigint",
        "trailing_average": "double precision",
        "trend": "varchar",
    },
    key=(*BUCKET_KEY, "fingerprint"),
)

QUEUE_ADVICE = Table(
    "queue_advice",
    {
        "team_id": "bigint",
        "queue_id": "bigint",
        "kind": "varchar",
        "status": "varchar",
        "current_value": "double precision",
        "suggested_value": "double precision",
        "figures": "jsonb",
        "sample_size": "bigint",
        "confidence": "varchar",
        "observed_from": "timestamptz",
        "observed_to": "timestamptz",
        "computed_at": "timestamptz",
        "run_id": "bigint",
    },
    key=("queue_id", "kind"),
)

METRICS_RUN = Table(
    "metrics_run",
    {
        "id": "bigint",
        "status": "varchar",
        "bucket_seconds": "integer",
        "window_from": "timestamptz",
        "window_to": "timestamptz",
        "settled_until": "timestamptz",
        "queue_id": "bigint",
        "stays_read": "bigint",
        "rows_written": "bigint",
        "started_at": "timestamptz",
        "finished_at": "timestamptz",
        "error": "text",
        "exported_to": "text",
    },
    key=("id",),
)

METRICS_WATERMARK = Table(
    "metrics_watermark",
    {"bucket_seconds": "integer", "computed_until": "timestamptz", "run_id": "bigint"},
    key=("bucket_seconds",),
)

ARCHIVED_DAY = Table(
    "archived_day",
    {
        "lake": "text",
        "day": "date",
        "rows": "bigint",
        "checksum": "text",
        "archived_at": "timestamptz",
    },
    key=("lake", "day"),
)

READ = (MESSAGE_STAY, MESSAGE_LOG, QUEUE, DEAD_LETTER)
WRITTEN = (
    QUEUE_METRICS,
    QUEUE_GROUP_METRICS,
    DLQ_ERROR_METRICS,
    QUEUE_ADVICE,
    METRICS_RUN,
    METRICS_WATERMARK,
    ARCHIVED_DAY,
)
