"""A team whose dead-letter queue holds as many letters as wanted, of the kinds that real ones hold.

Written by a few statements: a million letters take a minute.
"""

from dataclasses import dataclass, field
from uuid import UUID

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from queues import ids
from queues.maintenance import error_groups as folding
from queues.models import (
    ApiKey,
    DiscardedMessage,
    ErrorGroup,
    Membership,
    Message,
    Queue,
    RedriveTask,
    Role,
    Team,
)

GROUPS = 200
OF_THE_SMALL_GROUP = 20

# Skewed: half of the letters are in an eighth of the groups. Each hundredth was redriven before.
LETTERS = """
INSERT INTO message (
    queue_id, source_queue_id, size_bytes, data, attributes, group_id, delivery_count, nack_count, state,
    enqueued_at, entered_at, dead_lettered_at, dead_letter_reason, first_failed_at, last_failed_at,
    first_delivered_at, last_delivered_at, error_type, last_error, fingerprint, redrive_count, history
)
SELECT %(dlq)s, %(source)s, length(data), data,
       jsonb_build_object('tenant', 'tenant-' || LEAST(n %% 23, 19), 'attempt', n %% 5),
       'customer-' || n %% 1000, 3, 3, 'ready',
       died - interval '1 minute', died, died, 'max_deliveries_exceeded', died, died, died, died,
       error_type,
       jsonb_build_object('type', error_type, 'message', 'order ' || n || ' failed in step ' || g),
       CASE WHEN n <= %(small)s THEN 'small' ELSE 'v1:' || md5(g::text) END,
       (n %% 100 = 0)::int,
       jsonb_build_array(jsonb_build_object(
           'event', 'dead_lettered', 'at', died, 'deliveries', 3, 'from', %(source)s, 'to', %(dlq)s
       ))
  FROM (
           SELECT n,
                  g,
                  (ARRAY['TimeoutError', 'ConnectionError', 'KeyError', 'OSError'])[1 + g %% 4] AS error_type,
                  now() - interval '1 second' * ((%(letters)s - n)::float8 * 1000000 / %(letters)s) AS died,
                  format(
                      '{"order_id": %%s, "customer": {"id": "c-%%s", "email": "user%%s@example.com"}, '
                      '"total": "%%s.90", "currency": "EUR", "items": [{"sku": "sku-%%s", "quantity": %%s}, '
                      '{"sku": "sku-%%s", "quantity": 1}], "note": "deliver to the back door", "version": 3}',
                      n, n %% 5000, n %% 5000, n %% 977, n %% 3001, 1 + n %% 9, n %% 401
                  ) AS data
             FROM (
                      SELECT n, floor((%(groups)s - 1) * power((n * 0.6180339887)::numeric %% 1, 3))::int AS g
                        FROM generate_series(1, %(letters)s) AS n
                  ) AS numbered
       ) AS letter
"""

COUNTED = """
INSERT INTO error_group_delta (queue_id, fingerprint, count, arrived, title, error_type, at)
SELECT queue_id, fingerprint, count(*), count(*), min(error_type) || ': no luck', min(error_type), max(died)
  FROM (
           SELECT queue_id, fingerprint, error_type, date_bin('1 hour', dead_lettered_at, 'epoch') AS hour,
                  dead_lettered_at AS died
             FROM message
            WHERE queue_id = %(dlq)s
       ) AS letter
 GROUP BY queue_id, fingerprint, hour
"""

TRASH = """
INSERT INTO discarded_message (
    message_id, team_id, queue_id, discarded_at, discarded_by, reason, expires_at, size_bytes, error_type, row
)
SELECT uuidv7(), %(team)s, %(dlq)s, now(), 'ada', 'of no use', now() + interval '9 days', size_bytes,
       error_type, to_jsonb(message) || jsonb_build_object('id', uuidv7())
  FROM (SELECT * FROM message WHERE queue_id = %(dlq)s ORDER BY queue_id, id LIMIT 1) AS message,
       generate_series(1, %(trail)s)
"""

AUDIT = """
INSERT INTO audit_entry (team_id, at, actor, action, queue_id, queue_name, subject, detail, reason)
SELECT %(team)s, now(), 'ada', 'message.requeued', %(dlq)s, 'dead', 'msg_' || n, '{"to": "orders"}', 'mended'
  FROM generate_series(1, %(trail)s) AS n
"""

REDRIVES = """
INSERT INTO redrive_task (
    uid, team_id, dlq_id, filter, status, reason, matched, moved, undone, skipped, cut_off, step,
    requested_by, started_at, finished_at
)
SELECT gen_random_uuid(), %(team)s, %(dlq)s, '{"error_type": "KeyError"}', 'completed', '', 10, 9, 0,
       '{"leased": 1}', now(), 0, 'ada', now(), now()
  FROM generate_series(1, %(trail)s)
"""


@dataclass
class Place:
    """A team, somebody who may do everything there, and the things its pages are about."""

    team: Team
    user: User
    source: Queue
    dlq: Queue
    words: dict[str, str] = field(default_factory=dict)

    @property
    def client(self) -> Client:
        client = Client()
        client.force_login(self.user)
        return client

    def named(self, page: str, key: str) -> object:
        """What a page is about: `key` is a word in its address."""
        if page.startswith("trash") and key == "message_id":
            return DiscardedMessage.objects.filter(queue_id=self.dlq.pk).latest("id").public_id
        if page.startswith("queue-settings") and key == "queue_id":
            return self.source.public_id
        if key == "member_id":
            return Membership.objects.filter(team=self.team).latest("id").pk
        return {
            "queue_id": self.dlq.public_id,
            "message_id": self.words["letter"],
            "redrive_id": self.words["redrive"],
            "team_name": self.team.name,
            "access_key_id": f"{self.team.name}-0",
        }[key]


def fill(name: str, *, letters: int, trail: int, others: int) -> Place:
    """So many dead letters; so many entries in the trash, the audit and the list of redrives; and so many
    other queues, keys and members."""
    team = Team.objects.create(name=name, max_queues=10_000)
    user = User.objects.create_superuser(f"owner-of-{name}")
    Membership.objects.create(team=team, user=user, role=Role.OWNER)
    dlq = Queue.objects.create(team=team, name="dead", is_dlq=True)
    source = Queue.objects.create(team=team, name="orders", dlq=dlq, max_deliveries=3, allow_edit=True)
    given = {"team": team.pk, "dlq": dlq.pk, "source": source.pk, "letters": letters, "trail": trail}
    with connection.cursor() as cursor:
        for statement in (LETTERS, COUNTED, TRASH, AUDIT, REDRIVES):
            cursor.execute(statement, {**given, "small": OF_THE_SMALL_GROUP, "groups": GROUPS})
    while folding.run_once(10_000):
        pass
    _make_others(team, others)
    return Place(team, user, source, dlq, _words(dlq))


def empty() -> None:
    """Take away all that `fill` made, and whatever was made of it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "TRUNCATE team, auth_user, message, discarded_message, message_log,"
            " error_group, error_group_delta, error_group_hour CASCADE"
        )


def _make_others(team: Team, count: int) -> None:
    names = [f"{team.name}-{number}" for number in range(count)]
    Queue.objects.bulk_create(Queue(team=team, name=name) for name in names)
    users = User.objects.bulk_create(User(username=name) for name in names)
    Membership.objects.bulk_create(Membership(team=team, user=user) for user in users)
    secret = {"secret_digest": b"", "secret_encrypted": b"", "scopes": ["send"]}
    ApiKey.objects.bulk_create(ApiKey(team=team, name=name, access_key_id=name, **secret) for name in names)


def _words(dlq: Queue) -> dict[str, str]:
    """What the queries of pages name."""
    letters = Message.objects.filter(queue_id=dlq.pk).order_by("id").values_list("id", flat=True)
    largest = ErrorGroup.objects.filter(queue_id=dlq.pk).order_by("-count", "fingerprint").first()
    assert largest is not None
    near_the_middle = letters.filter(fingerprint=largest.fingerprint).order_by("-fingerprint", "-id")
    return {
        "letter": ids.message_id(letters[0]),
        "middle": ids.message_id(near_the_middle[largest.count // 2]),
        "end": ids.message_id(UUID(int=2**128 - 1)),
        "large": largest.fingerprint,
        "small": "small",
        "redrive": RedriveTask.objects.filter(dlq=dlq).latest("id").public_id,
    }
