"""Bodies inside bodies."""

import base64
import gzip

import pytest

from dlq_console import packing

BODY = '{"order": 42, "note": "ü"}'


def packed(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def test_it_looks_into_base64():
    assert packing.unpacked(packed(BODY.encode())) == ("base64", BODY)


def test_it_looks_into_gzip_in_base64():
    assert packing.unpacked(packed(gzip.compress(BODY.encode()))) == ("gzip in base64", BODY)


def test_it_unpacks_no_more_than_it_can_hold():
    bomb = packed(gzip.compress(b"0" * 50_000_000))
    assert len(packing.unpacked(bomb)[1]) <= packing.DECODED_BYTES


@pytest.mark.parametrize(
    "data",
    [
        "",
        "short",
        "abcdefghijklmnop",
        BODY,
        packed(b"\x00\x01\x02 binary \xff\xfe"),
        packed(b"\x1f\x8b no gzip at all"),
        packed(gzip.compress(BODY.encode(), mtime=0)[:-20]),
    ],
)
def test_it_leaves_everything_else_as_it_is(data):
    assert packing.unpacked(data) == ("", data)
