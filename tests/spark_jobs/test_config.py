from datetime import UTC, date, datetime

import pytest

from spark_jobs.config import Config
from spark_jobs.errors import UsageError
from spark_jobs.lake import Lake

ENV = {"DATABASE_URL": "postgresql://localhost/simplemq"}


def read(*argv: str, **env: str) -> Config:
    return Config.read(argv, {**ENV, **env})


def test_it_goes_on_from_the_last_run_unless_told_otherwise():
    config = read()
    assert (config.start, config.stop, config.every, config.dry_run) == (None, None, None, False)
    assert config.buckets == (60, 300, 3600)
    assert config.master == "local[*]"


def test_it_reads_messages_from_the_database_unless_there_is_a_replica():
    assert read().source_url == ENV["DATABASE_URL"]
    assert read(SIMPLEMQ_METRICS_SOURCE_URL="postgresql://replica/").source_url == "postgresql://replica/"
    assert read("--source-url", "postgresql://other/").source_url == "postgresql://other/"


def test_a_lake_is_read_together_with_the_table_unless_told_otherwise():
    assert (read().lake, read().log) == (None, "table")
    config = read("--lake", "/lake/")
    assert (config.lake, config.log) == (Lake("/lake"), "both")
    assert read("--log", "table", SIMPLEMQ_LAKE="s3a://lake").log == "table"


@pytest.mark.parametrize(
    ("location", "path"),
    [
        ("/data/lake/", "file:///data/lake/message_log/date=2026-11-18"),
        ("file:///data/lake", "file:///data/lake/message_log/date=2026-11-18"),
        ("s3a://bucket/simplemq/", "s3a://bucket/simplemq/message_log/date=2026-11-18"),
        ("hdfs://name:8020/lake", "hdfs://name:8020/lake/message_log/date=2026-11-18"),
    ],
)
def test_a_lake_is_a_folder_or_an_address(location, path):
    assert Lake(location).day("message_log", date(2026, 11, 18)) == path


def test_it_leaves_the_master_to_spark_submit():
    assert read(PYSPARK_GATEWAY_PORT="25333").master == ""
    assert read("--master", "yarn", PYSPARK_GATEWAY_PORT="25333").master == "yarn"


def test_buckets_come_once_each_and_the_smallest_first():
    assert read("--bucket", "1h", "--bucket", "1m", "--bucket", "1h").buckets == (60, 3600)


def test_a_time_without_a_zone_is_utc():
    config = read("--from", "2026-11-18", "--to", "2026-11-18T12:30+02:00")
    assert config.start == datetime(2026, 11, 18, tzinfo=UTC)
    assert config.stop == datetime(2026, 11, 18, 10, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--bucket", "2m"], "Argument --bucket: '2m' is no size of bucket; choose 1m, 5m, 1h."),
        (["--from", "yesterday"], "'yesterday' is not a time; write for example 2026-11-18T09:00Z"),
        (["--from", ""], "'' is not a time"),
        (["--from", "0001-01-01T00:00+14:00"], "is not a time"),  # it would be year 0
        (["--from", "2026-11-18", "--to", "2026-11-17"], "is not before --to"),
        (["--from", "2026-11-18", "--to", "2026-11-18"], "is not before --to"),
        (["--to", "2026-11-17"], "--to needs --from."),
        (["--since-last", "--from", "2026-11-18"], "not both"),
        (["--every", "60", "--from", "2026-11-18"], "cannot be combined"),
        (["--every", "0"], "'0' is not a number above zero"),
        (["--every", "inf"], "'inf' is not a number above zero"),
        (["--every", "soon"], "'soon' is not a number above zero"),
        (["--queue", "orders"], "'orders' is not a whole number above zero"),
        (["--partitions", "0"], "'0' is not a whole number above zero"),
        (["--master", "sparkle"], "'sparkle' is no Spark master; write for example local[*]"),
        (["--master", "local[0]"], "is no Spark master"),
        (["--master", "spark://host"], "is no Spark master"),
        (["--lake", "lake"], "The lake 'lake' must be an absolute path, or an address as s3a://…."),
        (["--log", "lake", "--from", "2026-11-18"], "--log lake needs --lake."),
        (["--log", "lake", "--lake", "/lake"], "it needs --from."),
        (["--log", "pond"], "invalid choice: 'pond'"),
        (["--log-retention-days", "-1"], "'-1' is not a whole number above zero"),
        (["--nonsense"], "Unrecognized arguments: --nonsense."),
        (["--database-url", ""], "Say which database"),
    ],
)
def test_it_says_in_one_sentence_what_makes_no_sense(argv, words):
    with pytest.raises(UsageError) as refusal:
        read(*argv)
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert refusal.value.exit_code == 2


@pytest.mark.parametrize(
    "master", ["local", "local[2]", "local[*]", "spark://a:7077,b:7077", "yarn", "k8s://https://host:443"]
)
def test_it_takes_any_spark_master(master):
    assert read("--master", master).master == master
