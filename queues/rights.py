"""Who may do what: rights are separate, roles are sets of them."""

from enum import StrEnum

from queues.models import Role


class Right(StrEnum):
    VIEW = "view"
    REQUEUE = "requeue"
    REDRIVE = "redrive"
    EDIT = "edit"
    DISCARD = "discard"
    PAUSE = "pause"
    EXPORT = "export"
    REVEAL = "reveal"
    NOTE = "note"
    MANAGE_QUEUES = "manage_queues"  # create, change settings
    MANAGE_KEYS = "manage_keys"
    PURGE = "purge"  # purge and delete queues
    MANAGE_MEMBERS = "manage_members"


VIEWER = {Right.VIEW}
OPERATOR = VIEWER | {
    Right.REQUEUE,
    Right.REDRIVE,
    Right.EDIT,
    Right.DISCARD,
    Right.PAUSE,
    Right.EXPORT,
    Right.REVEAL,
    Right.NOTE,
    Right.MANAGE_QUEUES,
    Right.MANAGE_KEYS,
}
OWNER = set(Right)

RIGHTS: dict[str, set[Right]] = {Role.VIEWER: VIEWER, Role.OPERATOR: OPERATOR, Role.OWNER: OWNER}


def of_role(role: str) -> set[Right]:
    return RIGHTS.get(role, set())
