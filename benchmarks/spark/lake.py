"""The log in the lake: put there by the job itself, and read by it instead of the table."""

from pathlib import Path

from benchmarks.spark import job
from benchmarks.spark.job import JobFigures
from benchmarks.spark.plan import BUCKET, KEPT_DAYS, Plan
from benchmarks.spark.server import Server


def archive(server: Server) -> JobFigures:
    """All of the log that is old enough, and the history that was made of it. There is little else to do."""
    kept = ("--log-retention-days", str(KEPT_DAYS), "--log", "table")
    return job.run(server, "--since-last", "--bucket", BUCKET, "--lake", str(server.lake), *kept)


def run_job(server: Server, plan: Plan) -> JobFigures:
    start = ("--from", plan.since.isoformat(), "--bucket", BUCKET)
    return job.run(server, *start, "--lake", str(server.lake), "--log", "lake")


def log_bytes(lake: Path) -> int:
    return sum(file.stat().st_size for file in (lake / "message_log").rglob("*.parquet"))
