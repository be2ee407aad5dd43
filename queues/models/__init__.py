"""The tables of the service. No SQL here: statements live in `queues/sql`, run by `queues/managers`."""

from queues.models.api_key import ApiKey
from queues.models.message import Message, State
from queues.models.message_log import MessageLog, Outcome
from queues.models.queue import Mode, Queue
from queues.models.queue_slot import QueueSlot
from queues.models.queue_tally import QueueActivity, QueueTally, QueueTallyDelta
from queues.models.redrive_task import RedriveStatus, RedriveTask
from queues.models.team import Membership, Role, Team

__all__ = [
    "ApiKey",
    "Membership",
    "Message",
    "MessageLog",
    "Mode",
    "Outcome",
    "Queue",
    "QueueActivity",
    "QueueSlot",
    "QueueTally",
    "QueueTallyDelta",
    "RedriveStatus",
    "RedriveTask",
    "Role",
    "State",
    "Team",
]
