"""`python -m spark_jobs.jobs.dead_letters`: archives dead letters that are about to expire, once."""

import os
import sys
from collections.abc import Mapping, Sequence

from spark_jobs import session
from spark_jobs.dead_letters import Config, archive_once
from spark_jobs.exits import status_of

# Spark would read 4096 rows of Parquet at once, and a body may have a megabyte.
SETTINGS = {"spark.sql.parquet.columnarReaderBatchSize": "64"}


def main(argv: Sequence[str], env: Mapping[str, str]) -> int:
    return status_of("archive_dead_letters", lambda: Config.read(argv, env), _run)


def _run(config: Config) -> None:
    with session.when_needed(config.master, SETTINGS) as start_spark:
        archive_once(config, start_spark)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
