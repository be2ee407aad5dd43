"""`spark.read.format("simplemq")`: PostgreSQL, read in parallel as Arrow, without a JDBC driver.

Options: `url`, and `read`, which is one of
  stays   with columns, start, stop, settled_until, partitions and maybe queue_id; `elsewhere` names days of
          the log to leave out
  log     with columns, day and partitions
  rows    with table, columns and maybe bucket_seconds, start, stop, queue_id
  letters with columns, until and maybe queue_id
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime

import adbc_driver_postgresql.dbapi as adbc
import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from spark_jobs import contract
from spark_jobs.sources import statements

TABLES = {table.name: table for table in (*contract.READ, *contract.WRITTEN)}


class SimpleMQDataSource(DataSource):
    @classmethod
    def name(cls) -> str:
        return "simplemq"

    def schema(self) -> StructType:
        columns = _columns(self.options)
        if self.options["read"] == "stays":
            return struct_of(contract.MESSAGE_STAY, columns).add("stays", "long")
        if self.options["read"] == "log":
            return struct_of(contract.MESSAGE_LOG, columns)
        if self.options["read"] == "letters":
            return struct_of(contract.DEAD_LETTER, columns)
        return struct_of(TABLES[self.options["table"]], columns)

    def reader(self, schema: StructType) -> DataSourceReader:
        before = statements.BY_INDEX if self.options["read"] == "letters" else ()
        return Reader(self.options["url"], _statements(self.options), before)


class Reader(DataSourceReader):
    def __init__(self, url: str, queries: Sequence[str], before: Sequence[str] = ()) -> None:
        self.url = url
        self.queries = queries
        self.before = before

    def partitions(self) -> Sequence[InputPartition]:
        return [InputPartition(query) for query in self.queries]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """In a statement of its own, outside any transaction: its snapshot lives as long as it runs."""
        with reading(self.url, self.before) as cursor:
            cursor.execute(partition.value)
            yield from cursor.fetch_record_batch()


@contextmanager
def reading(url: str, before: Sequence[str] = ()) -> Iterator[adbc.Cursor]:
    """A cursor that can change nothing."""
    with adbc.connect(url, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")
        cursor.execute("SET application_name = 'simplemq metrics'")
        for statement in before:
            cursor.execute(statement)
        yield cursor


def struct_of(table: contract.Table, columns: Sequence[str]) -> StructType:
    struct = StructType()
    for name in columns:
        struct.add(name, contract.SPARK_TYPES[table.columns[name]])
    return struct


def _statements(options: Mapping[str, str]) -> list[str]:
    if options["read"] == "stays":
        return statements.stays(
            _columns(options),
            datetime.fromisoformat(options["start"]),
            datetime.fromisoformat(options["stop"]),
            datetime.fromisoformat(options["settled_until"]),
            _number(options, "queue_id"),
            int(options["partitions"]),
            [date.fromisoformat(day) for day in options["elsewhere"].split()],
        )
    if options["read"] == "log":
        return statements.log(
            _columns(options), date.fromisoformat(options["day"]), int(options["partitions"])
        )
    if options["read"] == "letters":
        until = datetime.fromisoformat(options["until"])
        return statements.dying_letters(_columns(options), until, _number(options, "queue_id"))
    return statements.rows(
        TABLES[options["table"]],
        _columns(options),
        _number(options, "bucket_seconds"),
        _instant(options, "start"),
        _instant(options, "stop"),
        _number(options, "queue_id"),
    )


def _columns(options: Mapping[str, str]) -> list[str]:
    return options["columns"].split(",")


def _number(options: Mapping[str, str], name: str) -> int | None:
    return int(options[name]) if name in options else None


def _instant(options: Mapping[str, str], name: str) -> datetime | None:
    return datetime.fromisoformat(options[name]) if name in options else None
