"""Advice as the job has written it, beside the settings there are now."""

from queues.models import Queue
from queues.operations import queues
from tests.factories import new_queue, reloaded
from tests.metrics_factories import advice_for
from tests.queues.api.caller import Caller


def advice_of(caller: Caller, queue: Queue) -> dict:
    response = caller.get(f"/api/queues/{queue.public_id}/advice")
    assert (response.status_code, response["Cache-Control"]) == (200, "private, max-age=30")
    return response.json()


def test_there_is_none_before_the_job_has_run(owner: Caller, queue: Queue) -> None:
    assert advice_of(owner, queue) == {"queue_id": queue.public_id, "computed_at": None, "advice": []}


def test_it_gives_the_figures_behind_it(owner: Caller, queue: Queue) -> None:
    advice_for(queue, figures={"processing_p50_seconds": 9.0}, suggested_value=54.0)
    answer = advice_of(owner, queue)
    [advice] = answer["advice"]
    assert advice["computed_at"] == answer["computed_at"]
    assert {
        name: advice[name] for name in ("kind", "setting", "status", "current_value", "suggested_value")
    } == {
        "kind": "visibility_timeout",
        "setting": "visibility_timeout",
        "status": "change",
        "current_value": 30.0,
        "suggested_value": 54.0,
    }
    assert (advice["figures"], advice["sample_size"], advice["confidence"]) == (
        {"processing_p50_seconds": 9.0}, 12_345, "high",
    )  # fmt: skip
    assert advice["outdated"] is False


def test_what_is_urgent_comes_first(owner: Caller, queue: Queue) -> None:
    advice_for(queue, "workers", status="ok", current_value=2, suggested_value=2)
    advice_for(queue, "retention_risk", status="critical", current_value=0.97, suggested_value=None)
    advice_for(queue, "visibility_timeout")
    assert [advice["kind"] for advice in advice_of(owner, queue)["advice"]] == [
        "retention_risk",
        "visibility_timeout",
        "workers",
    ]


def test_it_names_the_setting_where_there_is_one(owner: Caller, queue: Queue) -> None:
    advice_for(queue, "high_water_mark", current_value=None, suggested_value=5_000)
    advice_for(queue, "workers", current_value=2, suggested_value=4)
    settings = {advice["kind"]: advice["setting"] for advice in advice_of(owner, queue)["advice"]}
    assert settings == {"high_water_mark": "queue_size", "workers": None}


def test_it_says_when_the_setting_was_changed_since(owner: Caller, queue: Queue) -> None:
    advice_for(queue)
    queues.update(queue, visibility_timeout=45)
    assert advice_of(owner, queue)["advice"][0]["outdated"] is True
    queues.update(reloaded(queue), visibility_timeout=60)  # as it was advised
    assert advice_of(owner, queue)["advice"][0]["outdated"] is False


def test_it_gives_none_of_other_queues(owner: Caller, queue: Queue) -> None:
    advice_for(new_queue(queue.team))
    assert advice_of(owner, queue)["advice"] == []
