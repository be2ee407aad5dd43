"""Lists of what traffic makes: a fixed number of statements, none of which reads more than the window."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from queues.models import AuditEntry, DiscardedMessage, ErrorGroup, Message
from queues.operations import topics
from tests.factories import new_queue, new_topic
from tests.queues.sql.explained import explain_text

WINDOW = 100
ROWS = 3_000
LISTS = {
    "message": (Message, ["", "&state__exact=leased", "&o=4", "&p=2", "&q=f9", "&all="]),
    "discardedmessage": (DiscardedMessage, ["", "&o=7", "&p=2"]),
    "errorgroup": (ErrorGroup, ["", "&o=-1", "&p=2", "&q=f9"]),
    "auditentry": (AuditEntry, ["", "&action__exact=queue.purged", "&o=2", "&p=2"]),
}
ADDRESSES = [
    (model, scope, rest)
    for model, (_, rests) in LISTS.items()
    for scope in ("queue", "nothing")
    for rest in rests
    if scope == "queue" or model in ("discardedmessage", "auditentry")
]


@pytest.fixture(autouse=True)
def narrow(monkeypatch):
    """A small window, so that few rows already go beyond it."""
    monkeypatch.setattr("dlq_console.admin.bounded.EXACT_COUNT", WINDOW)
    monkeypatch.setattr("dlq_console.admin.bounded.PlainChangeList.bound", WINDOW)


@pytest.fixture
def full(dlq, entry):
    """Thousands of rows in the very queue that is looked at; only trash and groups have been analysed since.

    Unanalysed and this small, the planner would rather sort all of them than walk them in order.
    """
    statements = [
        """INSERT INTO message (queue_id, size_bytes, data, dead_lettered_at, fingerprint)
           SELECT %(queue)s, 1, 'x', now(), 'f' || n %% 3 FROM generate_series(1, %(rows)s) n""",
        """INSERT INTO discarded_message (message_id, team_id, queue_id, discarded_at, discarded_by, reason,
                                          expires_at, size_bytes, row)
           SELECT uuidv7(), %(team)s, %(queue)s, now(), 'olga', '', now(), 1, '{}'
           FROM generate_series(1, %(rows)s)""",
        """INSERT INTO error_group (queue_id, fingerprint, title, count, note, noted_by)
           SELECT %(queue)s, 'g' || n, 't', n, '', '' FROM generate_series(1, %(rows)s) n""",
        """INSERT INTO audit_entry (team_id, at, actor, action, queue_id, queue_name, subject, detail, reason)
           SELECT %(team)s, now(), 'olga', 'queue.paused', %(queue)s, '', '', '{}', ''
           FROM generate_series(1, %(rows)s)""",
    ]
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement, {"queue": dlq.pk, "team": dlq.team_id, "rows": ROWS})
        cursor.execute("ANALYZE discarded_message, error_group")
    return dlq


def statements_of(client, address, table):
    with CaptureQueriesContext(connection) as caught:
        answer = client.get(address)
    assert answer.status_code == 200
    return len(caught), [query["sql"] for query in caught if f'FROM "{table}"' in query["sql"]], answer


def rows_read(statement, table):
    return explain_text(statement).rows_read(table)


def address_of(model, scope, rest, queue):
    chosen = f"queue={queue.public_id}" if scope == "queue" else ""
    return f"/admin/queues/{model}/?{chosen}{rest}"


@pytest.mark.parametrize(("model", "scope", "rest"), ADDRESSES)
def test_no_statement_reads_beyond_the_window(superuser, full, model, scope, rest):
    table = LISTS[model][0]._meta.db_table
    number, statements, _ = statements_of(superuser, address_of(model, scope, rest, full), table)
    assert statements
    assert number <= 10
    assert [read for each in statements if (read := rows_read(each, table)) > WINDOW + 1] == []


@pytest.mark.parametrize(("model", "scope", "rest"), ADDRESSES)
def test_the_number_of_statements_does_not_grow(superuser, dlq, entry, request, model, scope, rest):
    table = LISTS[model][0]._meta.db_table
    address = address_of(model, scope, rest.replace("&p=2", ""), dlq)
    few, _, _ = statements_of(superuser, address, table)
    request.getfixturevalue("full")
    many, _, _ = statements_of(superuser, address, table)
    assert many <= few + 1  # an empty page is not fetched


def test_it_says_that_there_is_more(superuser, full):
    _, _, answer = statements_of(superuser, address_of("message", "queue", "", full), "message")
    text = " ".join(answer.content.decode().split())
    assert "100 messages of the first 100: there are more" in text


def test_a_message_beyond_the_window_is_found_by_its_id(superuser, full):
    last = Message.objects.filter(queue_id=full.pk).latest("id")
    _, _, answer = statements_of(
        superuser, address_of("message", "queue", f"&q={last.public_id}", full), "message"
    )
    assert [row.pk for row in answer.context["cl"].result_list] == [last.pk]


def test_without_a_queue_no_message_is_read(superuser, full):
    _, statements, answer = statements_of(superuser, "/admin/queues/message/", "message")
    assert statements == []
    assert "Name a queue in the filter" in answer.content.decode()


def test_a_list_loads_no_bodies(superuser, full):
    _, statements, _ = statements_of(superuser, address_of("message", "queue", "", full), "message")
    assert not [each for each in statements if '"message"."data"' in each]


def test_the_page_of_a_message_reads_one_row(superuser, letter, full):
    address = f"/admin/queues/message/{letter.queue_id}-{letter.pk}/change/"
    _, statements, _ = statements_of(superuser, address, "message")
    assert [rows_read(each, "message") for each in statements] == [1]


def test_lists_of_what_people_make_count_no_further(superuser, dlq):
    _, statements, _ = statements_of(superuser, "/admin/queues/queue/", "queue")
    assert [each for each in statements if "COUNT(" in each and "LIMIT 101" not in each] == []


def test_the_list_of_topics_counts_the_subscriptions_of_its_page_only(superuser, subscription, team):
    few, _, _ = statements_of(superuser, "/admin/queues/topic/", "topic")
    for number in range(60):
        topics.subscribe(new_topic(team, f"topic-{number}"), new_queue(team))
    many, statements, answer = statements_of(superuser, "/admin/queues/topic/", "topic")
    assert len(answer.context["cl"].result_list) == 50
    assert many == few
    counting = [each for each in statements if "COUNT(*)" in each]
    assert [rows_read(each, "subscription") for each in counting] == [0]
    assert [rows_read(each, "subscription") for each in statements if each not in counting] == [50]


@pytest.mark.parametrize("place", ["subscription/", "topic/{topic}/change/"])
def test_subscriptions_are_listed_by_as_many_statements_as_one(superuser, subscription, team, place):
    address = "/admin/queues/" + place.format(topic=subscription.topic_id)
    superuser.get(address)  # the first visit also looks up the content type, which is kept
    few, _, _ = statements_of(superuser, address, "subscription")
    for _ in range(10):
        topics.subscribe(subscription.topic, new_queue(team))
    many, _, _ = statements_of(superuser, address, "subscription")
    assert many == few
