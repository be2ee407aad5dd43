"""Reading from a real standby. Making one takes seconds."""

from contextlib import closing

import psycopg
import pytest

from spark_jobs import database
from spark_jobs.errors import JobError
from spark_jobs.settled import wait_for_replica
from tests.spark_jobs.history import START, after
from tests.spark_jobs.own_server import READER, STAY, own_server, replica_of, url_of

pytestmark = pytest.mark.slow
BEHIND = r"^The replica is more than 0\.3 seconds behind: try again later\.$"
WINDOW = ("--from", START.isoformat(), "--to", after(5).isoformat(), "--bucket", "1m")


def test_messages_are_read_there_and_results_written_to_the_primary(run, tmp_path):
    with own_server(tmp_path / "primary") as server, replica_of(server, tmp_path / "replica") as replica:
        with psycopg.connect(server.url, autocommit=True) as owner:
            owner.execute(STAY, [after(1), after(2)])
            run(
                *WINDOW,
                DATABASE_URL=server.url,
                SIMPLEMQ_METRICS_SOURCE_URL=url_of(READER, "reading", replica),
            )
            assert owner.execute("SELECT sum(sent) FROM queue_metrics").fetchone() == (1,)
        with closing(database.connect(replica.url)) as source:
            assert source.execute("SELECT pg_is_in_recovery() AS yes").fetchone().yes
            with pytest.raises(JobError, match=BEHIND):
                wait_for_replica(source, "FFFFFFFF/0", patience=0.3)
