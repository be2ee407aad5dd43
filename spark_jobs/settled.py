"""Up to when the log is complete, decided without holding a snapshot.

A row is dated by the statement that wrote it, and seen when its transaction commits, maybe much later. What a
transaction writes is never dated before it began. So everything before the oldest transaction that is writing
now has been committed, or never will be. A statement that has begun and written nothing yet is not counted as
writing; the settle time is for those. One that takes even longer is found by the next runs, which look again
at the last minutes: see `grace_seconds`.
"""

import time
from dataclasses import dataclass
from datetime import datetime

from spark_jobs.database import Connection
from spark_jobs.errors import JobError

SETTLED = """
    SELECT LEAST(
               statement_timestamp() - make_interval(secs => %(settle_seconds)s),
               min(xact_start) FILTER (WHERE backend_xid IS NOT NULL)
           ) AS until,
           count(*) FILTER (WHERE hidden) AS hidden,
           pg_current_wal_flush_lsn()::text AS lsn,
           current_user AS role
      FROM (
               SELECT xact_start,
                      backend_xid,
                      NOT pg_has_role(usesysid, 'USAGE')
                        AND NOT pg_has_role('pg_read_all_stats', 'USAGE') AS hidden
                 FROM pg_stat_activity
                WHERE datname = current_database()
                  AND usesysid IS NOT NULL
                  AND pid <> pg_backend_pid()
           ) AS session
"""
REPLAYED = "SELECT NOT pg_is_in_recovery() OR pg_last_wal_replay_lsn() >= %(lsn)s::pg_lsn AS caught_up"
REPLICA_PATIENCE_SECONDS = 60
PAUSE_SECONDS = 0.1


@dataclass(frozen=True)
class Settled:
    until: datetime
    lsn: str  # a replica that has replayed this shows all of it


def settled(primary: Connection, settle_seconds: float) -> Settled:
    row = primary.execute(SETTLED, {"settle_seconds": settle_seconds}).fetchone()
    assert row is not None  # noqa: S101  # an aggregate always has one
    if row.hidden:
        raise JobError(
            f"The role {row.role} cannot see who is writing: "
            f'let it, with: GRANT pg_read_all_stats TO "{row.role}"'
        )
    return Settled(row.until, row.lsn)


def wait_for_replica(source: Connection, lsn: str, patience: float = REPLICA_PATIENCE_SECONDS) -> None:
    """Until the source shows what the primary showed; at once when it is the primary."""
    deadline = time.monotonic() + patience
    while not _caught_up(source, lsn):
        if time.monotonic() > deadline:
            raise JobError(f"The replica is more than {patience:g} seconds behind: try again later.")
        time.sleep(PAUSE_SECONDS)


def _caught_up(source: Connection, lsn: str) -> bool:
    row = source.execute(REPLAYED, {"lsn": lsn}).fetchone()
    return row is not None and bool(row.caught_up)
