import uuid

import pytest

from queues import receipts
from queues.errors import InvalidReceipt


def test_it_reads_back_what_it_wrote():
    message_id, lease = uuid.uuid4(), uuid.uuid4()
    assert receipts.read(receipts.write(message_id, lease)) == (message_id, lease)


def test_it_is_safe_in_a_url():
    handle = receipts.write(uuid.UUID(int=2**128 - 1), uuid.UUID(int=2**128 - 2))
    assert set(handle) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


HANDLE = receipts.write(uuid.UUID(int=1), uuid.UUID(int=2))


@pytest.mark.parametrize(
    "handle",
    [
        "",
        "garbage",
        HANDLE[:-1],
        HANDLE + "A",
        HANDLE + "=",
        HANDLE[:-1] + "J",
        "ü" * 43,
        "!" * 43,
        "\x00" * 43,
    ],
)
def test_it_reads_nothing_else(handle):
    with pytest.raises(InvalidReceipt) as caught:
        receipts.read(handle)
    assert caught.value.field == "receipt_handle"
