from time import perf_counter

import pytest

from queues import limits
from queues.fingerprints import frames_of, of, stripped

PYTHON = """Traceback (most recent call last):
  File "/srv/releases/20260101/app/worker.py", line 41, in run
    self.handle(message)
  File "/srv/releases/20260101/app/orders.py", line 12, in handle
    charge(order)
  File "/srv/venv/lib/python3.11/site-packages/billing/client.py", line 88, in charge
    raise TimeoutError(f"no answer for order {order.id}")
TimeoutError: no answer for order 4711
"""
CHAINED = f"""Traceback (most recent call last):
  File "/app/cache.py", line 3, in get
    return store[key]
KeyError: 'a'

During handling of the above exception, another exception occurred:

{PYTHON}"""
JAVA = """java.net.SocketTimeoutException: Read timed out
\tat java.base/sun.nio.ch.NioSocketImpl.timedRead(NioSocketImpl.java:288)
\tat com.acme.billing.Client.charge(Client.java:88)
\tat com.acme.Orders.lambda$handle$0(Orders.java:12)
\tat app//com.acme.Worker$$Lambda$14/0x0000000800c8.run(Unknown Source)
\tat com.acme.Worker.<init>(Worker.java:5)
Caused by: java.io.IOException: broken pipe
\tat com.acme.Pipe.write(Pipe.java:9)
\t... 4 more
"""
V8 = """TimeoutError: no answer for order 4711
    at Client.charge (/app/node_modules/billing/client.js:88:11)
    at async handle (file:///app/src/orders.mjs:12:3)
    at new Worker (/app/src/worker.js:5:9)
    at /app/src/main.js:1:1
    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)
"""
GECKO = """charge@https://acme.example/static/billing.3f9a1b2c.js?v=12:88:11
handle@https://acme.example/static/orders.js:12:3
@https://acme.example/static/main.js:1:1
"""


@pytest.mark.parametrize(
    ("stack", "frames"),
    [
        (PYTHON, ["billing/client.py:charge", "app/orders.py:handle", "app/worker.py:run"]),
        (CHAINED, ["billing/client.py:charge", "app/orders.py:handle", "app/worker.py:run"]),
        (
            JAVA,
            [
                "sun.nio.ch.NioSocketImpl.timedRead",
                "com.acme.billing.Client.charge",
                "com.acme.Orders.lambda$handle$<n>",
                "com.acme.Worker$$Lambda$<n>.run",
                "com.acme.Worker.<init>",
            ],
        ),
        (
            V8,
            [
                "billing/client.js:Client.charge",
                "src/orders.mjs:handle",
                "src/worker.js:new Worker",
                "src/main.js:",
                "process/task_queues:process.processTicksAndRejections",
            ],
        ),
        (GECKO, ["static/billing.<id>.js:charge", "static/orders.js:handle", "static/main.js:"]),
        ("", []),
        ("it broke", []),
        ("panic: runtime error\n\ngoroutine 1 [running]:\nmain.main()\n\t/app/main.go:5 +0x1d", []),
    ],
    ids=["python", "chained python", "java", "v8", "gecko", "empty", "prose", "unknown"],
)
def test_it_reads_the_functions_of_a_stack(stack, frames):
    assert frames_of(stack) == frames


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("order 42 not found", "order 7 not found"),
        ("took 1.5 s", "took 12 s"),
        ("balance is -3", "balance is 4"),
        (
            "user 01890a5d-ac96-774b-bcce-b302099a8057 gone",
            "user 9f0c1d2e-0000-4000-8000-000000000001 gone",
        ),
        ("no key 'a b'", "no key 'c'"),
        ('no key "it\'s"', 'no key ""'),
        ("bad hash deadbeefcafe", "bad hash 0123456789ab"),
        ("at 0x7fa53af3be20", "at 0x7fa53af3b000"),
        ("msg_0J4Kq8 failed", "msg_7XyZ12 failed"),
        ("since 2026-01-02T03:04:05Z", "since 2025-11-30T23:59:59Z"),
        ("10.0.0.7:5432 refused", "10.0.12.250:6432 refused"),
        ("line\n  break", "line break"),
    ],
)
def test_it_strips_what_differs_between_two_failures_of_one_kind(one, other):
    assert stripped(one) == stripped(other)
    assert of("E", one) == of("E", other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("order not found", "user not found"),
        ("can't open the user's file", "can't close the user's file"),
        ("no key 'a'", "no value 'a'"),
    ],
)
def test_it_keeps_what_tells_failures_apart(one, other):
    assert of("E", one) != of("E", other)


def test_it_is_the_client_s_own_word_when_there_is_one():
    assert of("E", "m", PYTHON, "billing-down") == "billing-down"


def test_it_looks_at_the_stack_before_the_message():
    assert of("E", "one", PYTHON) == of("E", "two", PYTHON.replace("line 88", "line 90").replace("4711", "1"))
    assert of("E", "one", PYTHON) != of("E", "one", PYTHON.replace("in charge", "in refund"))


def test_it_looks_at_the_message_when_the_stack_says_nothing():
    assert of("E", "order 1", "no stack") == of("E", "order 2")


def test_it_does_not_depend_on_where_the_release_lies():
    assert of("E", "m", PYTHON) == of("E", "m", PYTHON.replace("/srv/releases/20260101/", "/opt/x/"))


def test_it_does_not_depend_on_what_lies_far_below():
    deep = JAVA.replace("Caused by", "\tat com.acme.Main.main(Main.java:1)\nCaused by")
    assert of("E", "m", JAVA) == of("E", "m", deep)


def test_it_differs_by_type():
    assert of("KeyError", "m") != of("ValueError", "m")
    assert of("KeyError", "m", PYTHON) != of("ValueError", "m", PYTHON)


@pytest.mark.parametrize("stack", [None, "", PYTHON, JAVA, V8, "x" * 20_000, 'File "' * 5_000, "at " * 5_000])
def test_it_is_short_and_says_which_rules_made_it(stack):
    fingerprint = of("E" * 200, "'" * 4000, stack)
    assert fingerprint.startswith("v1:")
    assert len(fingerprint) <= limits.FINGERPRINT_LENGTH


@pytest.mark.parametrize(
    "unit", ["'", '"', "a", "1", "1.", "-", "at ", "\tat a.b(", "f@", "0123abcd-", " ", ":1", "\n"]
)
def test_it_takes_no_longer_for_text_made_to_be_slow(unit):
    began = perf_counter()
    of(None, unit * (4_000 // len(unit)), unit * (16_000 // len(unit)))
    assert perf_counter() - began < 1
