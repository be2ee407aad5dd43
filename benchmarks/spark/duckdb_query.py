"""`python -m benchmarks.spark.duckdb_query LAKE SCRIPT RESULT`: a query over the log that is in the lake."""

import sys
from pathlib import Path

import duckdb


def main(lake: Path, script: Path, result: Path) -> None:
    with duckdb.connect(config={"temp_directory": str(result.with_suffix(".tmp"))}) as connection:
        connection.read_parquet(str(lake / "message_log" / "*" / "*.parquet")).create_view("message_log")
        connection.sql(script.read_text()).write_parquet(str(result))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
