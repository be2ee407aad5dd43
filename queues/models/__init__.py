"""The tables of the service. No SQL here: statements live in `queues/sql`, run by `queues/managers`."""

from queues.models.api_key import ApiKey
from queues.models.archived_day import ArchivedDay
from queues.models.audit_entry import Action, AuditEntry
from queues.models.discarded_message import DiscardedMessage
from queues.models.error_group import ErrorGroup, ErrorGroupDelta, ErrorGroupHour
from queues.models.fifo_group import FifoGroup, FifoNudge
from queues.models.message import Message, State
from queues.models.message_edit import MessageEdit
from queues.models.message_log import MessageLog, Outcome
from queues.models.metrics import (
    BUCKET_SECONDS,
    AdviceKind,
    AdviceStatus,
    Confidence,
    DlqErrorMetrics,
    MetricsRun,
    MetricsWatermark,
    QueueAdvice,
    QueueGroupMetrics,
    QueueMetrics,
    RunStatus,
    Trend,
)
from queues.models.queue import Mode, Queue
from queues.models.queue_sample import QueueSample
from queues.models.queue_slot import QueueSlot
from queues.models.queue_tally import QueueActivity, QueueTally, QueueTallyDelta
from queues.models.redrive_task import RedriveStatus, RedriveTask
from queues.models.team import Membership, Role, Team
from queues.models.topic import Subscription, Topic

__all__ = [
    "BUCKET_SECONDS",
    "Action",
    "AdviceKind",
    "AdviceStatus",
    "ApiKey",
    "ArchivedDay",
    "AuditEntry",
    "Confidence",
    "DiscardedMessage",
    "DlqErrorMetrics",
    "ErrorGroup",
    "ErrorGroupDelta",
    "ErrorGroupHour",
    "FifoGroup",
    "FifoNudge",
    "Membership",
    "Message",
    "MessageEdit",
    "MessageLog",
    "MetricsRun",
    "MetricsWatermark",
    "Mode",
    "Outcome",
    "Queue",
    "QueueActivity",
    "QueueAdvice",
    "QueueGroupMetrics",
    "QueueMetrics",
    "QueueSample",
    "QueueSlot",
    "QueueTally",
    "QueueTallyDelta",
    "RedriveStatus",
    "RedriveTask",
    "Role",
    "RunStatus",
    "State",
    "Subscription",
    "Team",
    "Topic",
    "Trend",
]
