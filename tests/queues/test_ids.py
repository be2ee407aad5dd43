import uuid
from datetime import UTC, datetime

import pytest

from queues import ids


@pytest.mark.parametrize("value", [0, 1, 61, 62, 2**64, 2**128 - 1])
def test_it_reads_back_what_it_wrote(value):
    uid = uuid.UUID(int=value)
    text = ids.encode("msg", uid)
    assert ids.decode("msg", text) == uid
    assert len(text) == 26


@pytest.mark.parametrize(
    "text",
    [
        "",
        "msg",
        "msg_",
        "q_" + "0" * 22,
        "msg_" + "0" * 21,
        "msg_" + "0" * 23,
        "msg_" + "z" * 22,
        "msg_" + "٣" * 22,
    ],
)
def test_it_reads_nothing_else(text):
    assert ids.decode("msg", text) is None


def test_it_knows_the_smallest_id_of_a_moment():
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    assert ids.oldest_at(moment) < uuid.UUID("019b76da-a800-7abc-8def-0123456789ab")
    assert ids.oldest_at(moment, seconds_before=1) < ids.oldest_at(moment)
