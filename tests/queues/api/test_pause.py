from tests.queues.api.caller import Caller


def test_it_stops_receives_but_not_sends(owner: Caller, address: str, messages: str) -> None:
    assert owner.post(f"{address}/pause").json()["paused"] is True
    assert owner.post(messages, {"data": "x"}).status_code == 201
    assert owner.get(messages).json() == {"message": None}


def test_it_delivers_again_when_resumed(owner: Caller, address: str, messages: str) -> None:
    owner.post(messages, {"data": "x"})
    owner.post(f"{address}/pause")
    assert owner.post(f"{address}/resume").json()["paused"] is False
    assert owner.get(messages).json()["data"] == "x"


def test_it_may_be_paused_twice(owner: Caller, address: str) -> None:
    owner.post(f"{address}/pause")
    assert owner.post(f"{address}/pause").status_code == 200
