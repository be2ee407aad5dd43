"""Every list and every page of one row answers, and shows what clients wrote as text."""

import pytest
from django.contrib import admin
from django.urls import reverse

from queues.models import ApiKey
from queues.operations import keys, redrive, teams
from tests.dlq_console.admin.conftest import AS_TEXT, HOSTILE

MODELS = ["apikey", "auditentry", "discardedmessage", "errorgroup", "membership", "message", "queue"]
MODELS += ["redrivetask", "subscription", "team", "topic"]
READ_ONLY = ["auditentry", "discardedmessage", "errorgroup", "message", "redrivetask"]
HOSTILE_ONES = ["auditentry", "discardedmessage", "errorgroup", "message", "subscription"]


@pytest.fixture
def rows(dlq, letter, trash, group, entry, subscription, root, team):
    """One row of each model."""
    keys.create_api_key(team, "deploy", ["send"])
    return {
        "apikey": ApiKey.objects.get(),
        "auditentry": entry,
        "discardedmessage": trash,
        "errorgroup": group,
        "membership": teams.add_member(team, root),
        "message": letter,
        "queue": dlq,
        "redrivetask": redrive.start(dlq, requested_by=HOSTILE),
        "subscription": subscription,
        "team": team,
        "topic": subscription.topic,
    }


def list_of(model, rows):
    address = reverse(f"admin:queues_{model}_changelist")
    return f"{address}?queue={rows['queue'].public_id}" if model in ("message", "errorgroup") else address


def page_of(model, rows):
    row = rows[model]
    key = f"{row.queue_id}-{row.pk}" if model == "message" else row.pk
    return reverse(f"admin:queues_{model}_change", args=(key,))


def test_every_model_of_the_admin_is_tested_here():
    assert sorted(m._meta.model_name for m in admin.site._registry if m._meta.app_label == "queues") == MODELS


@pytest.mark.parametrize("model", MODELS)
def test_its_list_answers(superuser, rows, model):
    answer = superuser.get(list_of(model, rows))
    assert answer.status_code == 200
    assert answer.context["cl"].result_count >= 1


@pytest.mark.parametrize("model", MODELS)
def test_the_page_of_a_row_answers(superuser, rows, model):
    assert superuser.get(page_of(model, rows)).status_code == 200


@pytest.mark.parametrize("model", MODELS)
def test_pages_are_not_kept_by_the_browser(superuser, rows, model):
    assert "no-store" in superuser.get(page_of(model, rows))["Cache-Control"]


@pytest.mark.parametrize("where", [list_of, page_of])
@pytest.mark.parametrize("model", HOSTILE_ONES)
def test_it_shows_hostile_text_as_text(superuser, rows, model, where):
    html = superuser.get(where(model, rows)).content.decode()
    assert AS_TEXT in html
    assert "<script>alert" not in html
    assert "<img src=x" not in html
    assert "\u202e" not in html


def test_the_page_of_a_topic_shows_its_filters_as_text(superuser, rows):
    html = superuser.get(page_of("topic", rows)).content.decode()
    assert AS_TEXT in html
    assert "<script>alert" not in html


@pytest.mark.parametrize("model", READ_ONLY)
def test_what_traffic_made_cannot_be_added_changed_or_deleted(superuser, rows, model):
    page = page_of(model, rows)
    assert superuser.get(reverse(f"admin:queues_{model}_add")).status_code == 403
    assert superuser.post(page, {"data": "other"}).status_code == 403
    assert superuser.post(page.replace("/change/", "/delete/"), {"post": "yes"}).status_code == 403
    assert b"_save" not in superuser.get(page).content


@pytest.mark.parametrize("model", MODELS)
def test_nothing_is_deleted_in_bulk(superuser, rows, model):
    assert b"delete_selected" not in superuser.get(list_of(model, rows)).content


@pytest.mark.parametrize("model", MODELS)
def test_staff_who_are_no_superusers_see_nothing(staff, rows, model):
    assert staff.get(list_of(model, rows)).status_code == 403
    assert staff.get(page_of(model, rows)).status_code == 403


@pytest.mark.parametrize("model", MODELS)
def test_owners_of_a_team_have_to_sign_in_as_somebody_else(owner, rows, model):
    assert owner.get(list_of(model, rows)).status_code == 302


def test_the_index_is_titled_and_leads_to_the_console(superuser):
    html = superuser.get("/admin/").content.decode()
    assert "<title>SimpleMQ administration | SimpleMQ</title>" in html
    assert '<a href="/console/">Console</a>' in html


@pytest.mark.parametrize(
    "model", ["apikey", "auditentry", "membership", "queue", "redrivetask", "subscription", "topic"]
)
def test_it_filters_by_the_name_of_a_team(superuser, rows, model):
    address = reverse(f"admin:queues_{model}_changelist")
    assert superuser.get(f"{address}?team=payments").context["cl"].result_count >= 1
    assert superuser.get(f"{address}?team=nobody").context["cl"].result_count == 0


@pytest.mark.parametrize("model", ["auditentry", "discardedmessage", "errorgroup", "message"])
def test_it_filters_by_a_queue(superuser, rows, model):
    address = reverse(f"admin:queues_{model}_changelist")
    for name in (rows["queue"].public_id, f"payments/{rows['queue'].name}"):
        assert superuser.get(address, {"queue": name}).context["cl"].result_count >= 1
    for other in (rows["queue"].dlq or "q_nothing", "payments/nothing", HOSTILE, "\x00"):
        assert superuser.get(address, {"queue": other}).context["cl"].result_count == 0


def test_it_filters_subscriptions_by_queue_and_topic(superuser, rows):
    address = reverse("admin:queues_subscription_changelist")
    subscription = rows["subscription"]
    for query, count in [
        ({"queue": subscription.queue.public_id}, 1),
        ({"queue": rows["queue"].public_id}, 0),
        ({"topic": subscription.topic.public_id}, 1),
        ({"topic": "payments/events"}, 1),
        ({"topic": "payments/nothing"}, 0),
        ({"topic": "events"}, 0),
    ]:
        assert superuser.get(address, query).context["cl"].result_count == count, query


@pytest.mark.parametrize(
    ("model", "found", "nothing"),
    [
        ("apikey", "deploy", "other"),
        ("membership", "root", "nobody"),
        ("queue", "orders", "nothing"),
        ("redrivetask", "orders", "nothing"),
        ("subscription", "events", "nothing"),
        ("subscription", "orders", "nothing"),
        ("topic", "vent", "nothing"),
        ("team", "pay", "nobody"),
        ("message", "f1", "f9"),
        ("errorgroup", "f2", "f9"),
    ],
)
def test_it_searches(superuser, rows, model, found, nothing):
    address = list_of(model, rows)
    assert superuser.get(address, query_params=with_search(address, found)).context["cl"].result_count >= 1
    assert superuser.get(address, query_params=with_search(address, nothing)).context["cl"].result_count == 0


def with_search(address, text):
    _, _, queue = address.partition("queue=")
    return {"q": text, **({"queue": queue} if queue else {})}


@pytest.mark.parametrize(
    "model", ["queue", "redrivetask", "message", "discardedmessage", "subscription", "topic"]
)
def test_it_searches_by_public_id(superuser, rows, model):
    query = {"q": rows[model].public_id}
    if model in ("message", "discardedmessage"):
        query["queue"] = rows["queue"].public_id
    listed = superuser.get(reverse(f"admin:queues_{model}_changelist"), query).context["cl"]
    assert [row.pk for row in listed.result_list] == [rows[model].pk]


def test_the_other_filters_work(superuser, rows):
    for model, query, count in [
        ("auditentry", {"action__exact": "queue.paused"}, 1),
        ("auditentry", {"action__exact": "queue.purged"}, 0),
        ("queue", {"paused__exact": "1"}, 0),
        ("queue", {"is_dlq__exact": "1"}, 1),
        ("redrivetask", {"status__exact": "running"}, 1),
        ("membership", {"role__exact": "owner"}, 0),
        ("topic", {"subscribed": "yes"}, 1),
        ("topic", {"subscribed": "no"}, 0),
        ("subscription", {"filter__isempty": "0"}, 1),
        ("subscription", {"filter__isempty": "1"}, 0),
        ("apikey", {"revoked_at__isempty": "0"}, 0),
        ("message", {"queue": rows["queue"].public_id, "state__exact": "ready"}, 1),
        ("message", {"queue": rows["queue"].public_id, "state__exact": "leased"}, 0),
    ]:
        listed = superuser.get(reverse(f"admin:queues_{model}_changelist"), query).context["cl"]
        assert listed.result_count == count, (model, query)


def test_a_column_that_is_no_filter_cannot_be_searched_by_address(superuser, rows):
    address = list_of("message", rows)
    assert superuser.get(f"{address}&data__contains=x").status_code == 400


def test_a_large_body_is_cut(superuser, rows, letter):
    type(letter).objects.filter(queue_id=letter.queue_id, id=letter.id).update(data="y" * 1_000_000)
    html = superuser.get(page_of("message", rows)).content.decode()
    assert "and 990,000 characters more" in html
    assert len(html) < 100_000


def test_looking_counts_no_delivery(superuser, rows, letter):
    superuser.get(page_of("message", rows))
    now = type(letter).objects.get(queue_id=letter.queue_id, id=letter.id)
    assert (now.delivery_count, now.receipt) == (letter.delivery_count, letter.receipt)


@pytest.mark.parametrize("key", ["1", "x-y", "1-2", "9" * 30 + "-018f0000-0000-7000-8000-000000000001"])
def test_an_address_of_no_message_leads_back_to_the_index(superuser, key):
    assert superuser.get(f"/admin/queues/message/{key}/change/").status_code == 302


def test_secret_fields_are_masked(superuser, rows, letter, trash):
    secret = '{"user": "olga", "password": "hunter2"}'
    type(letter).objects.filter(queue_id=letter.queue_id, id=letter.id).update(
        data=secret, attributes={"api_key": "hunter2"}
    )
    type(trash).objects.update(row={"data": secret, "attributes": {"api_key": "hunter2"}})
    for model in ("message", "discardedmessage"):
        html = superuser.get(page_of(model, rows)).content.decode()
        assert "olga" in html
        assert "hunter2" not in html
