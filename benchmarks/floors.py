"""The cycle with the floors of `queues/managers/floors.py`, which live in the service's processes.

pgbench does what they do, about once a second and in each client: it measures the head of the queue, it lets
a promotion look everywhere, and it uses what they say only while they are costly. The service has fewer
processes than there are clients here, so it measures less often.
"""

from benchmarks.recording import Recording, Statement
from benchmarks.scripts import HELD, PICK_QUEUE, Script
from queues.managers.floors import COSTLY, LATE_COMMIT, MANY_RANKS, REFRESH_SECONDS
from queues.managers.statements import load

NOWHERE = "00000000-0000-0000-0000-000000000000"
CLOCK = "extract(epoch FROM statement_timestamp())::float8 AS clock"
UNTIL = f"extract(epoch FROM statement_timestamp())::float8 + {REFRESH_SECONDS}"
LEARN_PARKED = f"""
    {CLOCK},
    at - interval '{LATE_COMMIT}' AS parked_floor,
    CASE WHEN cost > interval '{COSTLY}' AND moved < :promoted THEN {UNTIL} ELSE 0 END AS parked_until
"""
LEARN_READY = f"""
    CASE WHEN cost > interval '{COSTLY}' AND ranks < {MANY_RANKS} AND id IS NOT NULL
         THEN id::text ELSE '{NOWHERE}' END AS ready_floor,
    {UNTIL} AS ready_until
"""


def cycle(recording: Recording) -> Script:
    script = Script(variables={"clock": 0, "parked_until": 0, "ready_until": 0, "ready_floor": NOWHERE})
    script.say(PICK_QUEUE)
    for call, statements in recording.calls.items():
        for statement in statements:
            if statement.is_named("message/promote"):
                _promote(script, statement)
            elif statement.is_named("message/claim"):
                _claim(script, statement)
            else:
                script.ask(call, statement)
    return script


def _promote(script: Script, statement: Statement) -> None:
    learn = LEARN_PARKED.replace(":promoted", str(statement.params["batch"]))
    script.say(r"\if :clock < :parked_until")
    script.ask("promote from the floor", statement, keep=CLOCK, binding={"floor": ":parked_floor"})
    script.say(r"\else")
    script.ask("promote", statement, keep=learn)
    script.say(r"\endif")


def _claim(script: Script, statement: Statement) -> None:
    script.say(r"\if :clock >= :ready_until")
    script.ask("head", Statement(load("message/head"), {"queue_id": 0}), keep=LEARN_READY)
    script.say(r"\endif")
    script.ask("claim", statement, keep=HELD, binding={"floor": ":ready_floor"})
