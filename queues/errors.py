"""What can go wrong in a queue, whoever asks. The docstring is the message; doors add status codes."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager


class QueueError(Exception):
    """Something is wrong with this request."""

    def __init__(self, message: str | None = None, *, field: str | None = None) -> None:
        self.message = message or str(type(self).__doc__)
        self.field = field
        super().__init__(self.message)


class Invalid(QueueError):
    """The request is not valid."""


class InvalidMany(Invalid):
    """Several fields are not valid."""

    def __init__(self, problems: Sequence[tuple[str, str]]) -> None:
        super().__init__("; ".join(f"{field}: {message}" for field, message in problems))
        self.problems = list(problems)


class InvalidReceipt(Invalid):
    """This is not a receipt handle of this service."""


class NotAuthenticated(QueueError):
    """A valid API key is needed."""


class Forbidden(QueueError):
    """This key may not do that."""


class QuotaExceeded(QueueError):
    """The team's quota is used up."""


class QueueNotFound(QueueError):
    """There is no such queue."""


class MessageNotFound(QueueError):
    """There is no such message in this queue: it was never sent here, has moved on, or is finished."""


class TopicNotFound(QueueError):
    """There is no such topic."""


class SubscriptionNotFound(QueueError):
    """There is no such subscription to this topic."""


class Conflict(QueueError):
    """It exists already, with other settings."""


class LastOwner(Conflict):
    """A team needs an owner: make somebody else one first."""


class EarlierOneFailed(QueueError):
    """An earlier message of its group was refused, so this one was not stored either."""


class ReceiptStale(QueueError):
    """The receipt handle no longer holds this message: it has been received again since."""


class LeaseOver(ReceiptStale):
    """The receipt handle no longer holds this message: its lease is over, which on a FIFO queue is final."""


class NotADeadLetter(QueueError):
    """This message was sent to this queue; it did not die in another, so it has nowhere to go back to."""


class SourceDeleted(QueueError):
    """The queue this message came from has been deleted."""


class AlreadyReceived(QueueError):
    """Somebody has received it meanwhile: it cannot be pulled back."""


class EditNotAllowed(QueueError):
    """The queue this message died in does not allow its messages to be edited."""


class RedriveNotFound(QueueError):
    """There is no such redrive of this queue."""


class RedriveActive(QueueError):
    """Another redrive of this queue is running: wait for it, or cancel it."""


class AdviceStale(QueueError):
    """The setting or the advice has changed since you looked: nothing was changed. Look again."""


class RedriveTooLarge(Invalid):
    """Counting what matches takes too long: narrow the filter, or give a limit."""


class ErrorGroupNotFound(QueueError):
    """There is no such group of dead letters in this queue."""


class SearchTooSlow(QueueError):
    """The search was stopped after 3 seconds: narrow it, for example by error, by age or by id."""


class TooManyWaiting(QueueError):
    """The team has as many long polls waiting as it may have."""

    retry_after = 1


class MessageTooLarge(QueueError):
    """The message is larger than the queue allows."""


class QueueFull(QueueError):
    """The queue is full: it holds as many messages as its queue_size allows."""

    retry_after = 1


@contextmanager
def noting(problems: list[Invalid]) -> Iterator[None]:
    """Go on after what is not valid, so that everything can be said at once."""
    try:
        yield
    except InvalidMany as problem:
        problems.extend(Invalid(message, field=field) for field, message in problem.problems)
    except Invalid as problem:
        problems.append(problem)


def raise_all(problems: Sequence[Invalid]) -> None:
    """Nothing, or what is wrong, or all that is wrong."""
    if len(problems) > 1:
        raise InvalidMany([(problem.field or "", problem.message) for problem in problems])
    for problem in problems:
        raise problem
