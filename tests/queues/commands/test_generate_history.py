"""Made-up history: every shape is visible in it, and it holds together like the real one."""

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import Avg, Count, F, Q
from django.utils import timezone

from queues.maintenance import log_partitions
from queues.management.commands import generate_history as command
from queues.models import MessageLog, Queue, Team
from queues.operations import generate_history, queues
from queues.synthetic_history import HOUR, Story
from tests.empty_log import empty_log
from tests.factories import new_queue, new_team
from tests.metrics_factories import metrics_run
from tests.simplemq.gunicorn_server import ROOT, database_url, until

PATIENCE = 60
# The latest Wednesday that is over, at noon: the days before are a Monday, a Tuesday and a weekend.
NOON = timezone.now().replace(hour=12, minute=0, second=0, microsecond=0)
UNTIL = NOON - timedelta(days=(NOON.weekday() - 2) % 7 or 7)
SINCE = UNTIL - timedelta(days=5)
TOLD = ["--messages", "6000", "--queues", "4", "--days", "5", "--until", UNTIL.isoformat()]

pytestmark = pytest.mark.django_db


def run(*args: str) -> str:
    out = StringIO()
    call_command("generate_history", *TOLD, *args, stdout=out)
    return out.getvalue()


def the_story() -> Story:
    return Story(queues=4, messages=6_000, days=5, until=UNTIL, seed=1)


def rows() -> list[tuple[Any, ...]]:
    names = dict(Queue.objects.values_list("pk", "name"))
    fields = [field.name for field in MessageLog._meta.fields if field.name not in ("team_id", "queue_id")]
    found = MessageLog.objects.values_list("queue_id", *fields)
    return sorted((names[queue_id], *map(str, rest)) for queue_id, *rest in found)


def struck(number: int) -> tuple[Any, Any]:
    """The log of the queues an incident hits: in its hours, and in all others."""
    incident = the_story().incidents[number]
    chosen = generate_history.prepare(Team.objects.get(), the_story(), force=True)
    own = MessageLog.objects.filter(queue_id__in=[chosen[number].pk for number in incident.queues])
    during = Q(finished_at__gte=UNTIL - incident.begins * HOUR, finished_at__lt=UNTIL - incident.ends * HOUR)
    return own.filter(during), own.exclude(during)


class TestTheRows:
    @pytest.fixture(autouse=True)
    def written(self, db: None) -> str:
        return run()

    def test_it_says_what_it_wrote(self, written: str) -> None:
        total = MessageLog.objects.count()
        assert f"Wrote 6,000 messages ({total:,} rows) of 4 queues of the team demo" in written
        assert f"{SINCE:%Y-%m-%d} 12:00 to {UNTIL:%Y-%m-%d} 12:00 UTC" in written
        assert "A bad deploy in" in written
        assert written.endswith("To see it in the console: manage.py run_metrics\n")

    def test_it_says_from_when_on_the_job_has_to_look_again(self) -> None:
        metrics_run(UNTIL)
        assert f"manage.py run_metrics --from {SINCE:%Y-%m-%d}T12:00Z" in run("--force")

    def test_it_writes_as_many_messages_as_were_asked_for(self) -> None:
        assert MessageLog.objects.aggregate(n=Count("message_id", distinct=True))["n"] == 6_000

    def test_every_end_adds_up(self) -> None:
        """A delivery ended in an ack, a nack or a lease that ran out."""
        first_stays = MessageLog.objects.filter(first_delivered_at__gte=F("enqueued_at")).exclude(
            enqueued_at=F("first_delivered_at")
        )
        ends = Counter()
        for row in first_stays:
            assert row.delivery_count == row.nack_count + row.lease_expiry_count + (row.outcome == "acked")
            ends[row.outcome] += 1
        assert set(ends) == {"acked", "dead_lettered"}
        assert ends["acked"] > 5_000

    def test_times_are_in_order_and_within_the_span(self) -> None:
        assert not MessageLog.objects.filter(
            Q(finished_at__gt=UNTIL)
            | Q(finished_at__lt=UNTIL - timedelta(days=5))
            | Q(enqueued_at__gt=F("finished_at"))
            | Q(first_delivered_at__gt=F("last_delivered_at"))
            | Q(last_delivered_at__gt=F("finished_at"))
            | Q(delivery_count=1, outcome="acked", first_delivered_at__lt=F("last_delivered_at"))
        ).exists()

    def test_the_dead_go_through_the_dead_letter_queue_and_back(self) -> None:
        dlqs = Queue.objects.filter(is_dlq=True).values_list("pk", flat=True)
        died = MessageLog.objects.filter(outcome="dead_lettered")
        left = MessageLog.objects.filter(queue_id__in=list(dlqs))
        assert set(died.values_list("message_id", flat=True)) == set(
            left.values_list("message_id", flat=True)
        )
        back = MessageLog.objects.filter(
            outcome="acked", message_id__in=left.filter(outcome="requeued").values("message_id")
        )
        assert back.count() == left.filter(outcome="requeued").count() > 0

    def test_ids_carry_the_time_of_the_send(self) -> None:
        row = MessageLog.objects.filter(outcome="acked", nack_count=0).first()
        assert row is not None
        assert (row.message_id.version, row.message_id.variant) == (7, "specified in RFC 4122")
        sent = datetime.fromtimestamp((row.message_id.int >> 80) / 1000, UTC)
        assert abs(sent - row.enqueued_at) < timedelta(milliseconds=2)

    def test_nothing_falls_into_the_default_partition(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM message_log_default")
            assert cursor.fetchone() == (0,)

    def test_maintenance_leaves_it_alone(self) -> None:
        before = MessageLog.objects.count()
        log_partitions.run_once(1_000, UNTIL)
        assert MessageLog.objects.count() == before


class TestTheShapes:
    @pytest.fixture(autouse=True)
    def written(self, db: None) -> None:
        run()

    def of_day(self, back: int) -> int:
        start = UNTIL.replace(hour=0) - timedelta(days=back)
        return MessageLog.objects.filter(
            finished_at__gte=start, finished_at__lt=start + timedelta(days=1)
        ).count()

    def test_days_are_waves(self) -> None:
        by_hour = Counter(MessageLog.objects.values_list("finished_at__hour", flat=True))
        assert sum(by_hour[hour] for hour in range(13, 17)) > 4 * sum(by_hour[hour] for hour in range(1, 5))

    def test_weekends_are_quiet(self) -> None:
        assert self.of_day(3) < 0.6 * self.of_day(2)  # Sunday, Monday

    def test_a_bad_deploy_raises_errors_and_processing_time(self) -> None:
        during, otherwise = struck(0)
        assert share(during, nack_count__gt=0) > 5 * share(otherwise, nack_count__gt=0)
        assert set(during.exclude(error_type=None).values_list("error_type", flat=True)) <= {
            "KeyError",
            "JSONDecodeError",
        }
        assert work(during) > 2 * work(otherwise)

    def test_a_burst_of_poison_has_one_fingerprint(self) -> None:
        during, otherwise = struck(1)
        dead = during.filter(outcome="dead_lettered", error_type="JSONDecodeError")
        assert dead.values("fingerprint").distinct().count() == 1
        assert share(during, outcome="dead_lettered") > 0.2 > 10 * share(otherwise, outcome="dead_lettered")

    def test_a_noisy_tenant_has_most_of_a_queue(self) -> None:
        during, otherwise = struck(2)
        assert share(during, group_id="tenant-1") > 0.4
        assert not otherwise.filter(group_id="tenant-1").exists()

    def test_leases_expire_and_processing_has_a_long_tail(self) -> None:
        assert MessageLog.objects.filter(lease_expiry_count__gt=0, outcome="acked").exists()
        took = sorted(
            row.finished_at - row.last_delivered_at
            for row in MessageLog.objects.filter(outcome="acked", nack_count=0)
        )
        median = took[len(took) // 2]
        assert sum(took, timedelta()) / len(took) > 1.5 * median
        assert len(set(MessageLog.objects.values_list("size_bytes", flat=True))) > 500


def share(log: Any, **condition: Any) -> float:
    return log.filter(**condition).count() / log.count()


def work(log: Any) -> float:
    acked = log.filter(outcome="acked")
    return float(acked.aggregate(t=Avg(F("finished_at") - F("last_delivered_at")))["t"].total_seconds())


class TestTheSeed:
    def test_the_same_seed_writes_the_same_rows(self) -> None:
        run("--seed", "7")
        once = rows()
        MessageLog.objects.all()._raw_delete(MessageLog.objects.db)
        run("--seed", "7")
        assert rows() == once

    def test_another_seed_writes_others(self) -> None:
        run("--seed", "7")
        once = rows()
        MessageLog.objects.all()._raw_delete(MessageLog.objects.db)
        run("--seed", "8")
        assert rows() != once


class TestTheQueues:
    def test_it_makes_the_team_and_its_queues(self) -> None:
        run("--team", "shop")
        assert list(Queue.objects.filter(team__name="shop", is_dlq=False).values_list("name", flat=True)) == [
            "orders-created",
            "payments-created",
            "emails-created",
            "invoices-created",
        ]

    def test_it_leaves_queues_with_history_alone(self) -> None:
        run()
        before = MessageLog.objects.count()
        with pytest.raises(CommandError, match=r"^The queue .* has history already: give --force"):
            run()
        assert MessageLog.objects.count() == before
        run("--force")
        assert MessageLog.objects.count() > before

    def test_it_takes_a_queue_that_has_none_as_it_is(self) -> None:
        queue = new_queue(new_team("demo"), name="orders-created", visibility_timeout=17, max_deliveries=1)
        run()
        assert queues.find(queue.team, queue.public_id).visibility_timeout == 17
        assert set(MessageLog.objects.filter(queue_id=queue.pk).values_list("delivery_count", flat=True)) == {
            1
        }

    def test_it_does_not_take_a_dead_letter_queue(self) -> None:
        team = new_team("demo")
        dlq = new_queue(team, name="orders-created")
        new_queue(team, dlq=dlq)
        with pytest.raises(CommandError, match=r"^team: orders-created is a dead-letter queue"):
            run()
        assert Queue.objects.count() == 2


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["--queues", "0"], "^queues: Must be between 1 and"),
        (["--messages", "0"], "^messages: Must be between 1 and"),
        (["--days", "31"], "^days: Must be between 1 and 30"),
        (["--team", "no team"], "^name: Must be 1 to 80 letters"),
        (["--until", "yesterday"], "--until: 'yesterday' is not a time"),
        (["--until", "2999-01-01T00:00Z"], "^until: Must not be in the future"),
        (["--until", "2020-01-01T00:00Z"], "^until: Begins earlier than the 30 days"),
        (["--queues", "many"], "--queues: invalid int value"),
    ],
)
def test_it_names_the_option_that_is_wrong(args: list[str], sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        run(*args)
    assert not Queue.objects.exists()


def test_fewer_messages_than_queues_are_still_all_of_them() -> None:
    run("--messages", "3")
    assert MessageLog.objects.aggregate(n=Count("message_id", distinct=True))["n"] == 3


@pytest.fixture
def clean_log(transactional_db: None) -> Iterator[None]:
    with empty_log():
        yield


@pytest.mark.usefixtures("clean_log")
def test_it_leaves_whole_hours_when_it_is_stopped() -> None:
    process = subprocess.Popen(
        [sys.executable, "manage.py", "generate_history", *TOLD, "--messages", "3000000"],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": database_url()},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    until(lambda: MessageLog.objects.exists())
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (command.PARTIAL, "")
    assert "Stopped; the hours that are written stay." in out
    story = Story(queues=4, messages=3_000_000, days=5, until=UNTIL, seed=1)
    written, reached = MessageLog.objects.aggregate(n=Count("message_id", distinct=True))["n"], 0
    for stretch in story.stretches():
        reached += sum(stretch.messages)
        if reached >= written:
            break
    assert reached == written
