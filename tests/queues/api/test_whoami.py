from queues.models import Queue, Team, Topic
from tests.queues.api.caller import Caller


def test_it_tells_a_caller_who_he_is(team: Team, queue: Queue, topic: Topic) -> None:
    caller = Caller(team, "packer", "receive")
    assert caller.get("/api/whoami").json() == {
        "team": "payments",
        "key_name": "packer",
        "scopes": ["receive"],
        "quotas": {
            "queues": {"limit": 1000, "used": 1},
            "topics": {"limit": 1000, "used": 1},
            "api_keys": {"limit": 100, "used": 1},
        },
    }
