"""What the figures of a queue say about its settings. Each rule is a column, null where the data is too thin.

The rules are those of the trade: a lease lasts six times the median or twice the 99th percentile of the work,
whichever is longer; three to five deliveries; a queue holds what is drained within its target age; consumers
are arrivals times work, and a fifth more.
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from spark_jobs.contract import QUEUE_ADVICE, SPARK_TYPES

ENOUGH = 100  # samples; fewer say nothing
MEDIUM, HIGH = 1_000, 10_000
HEADROOM = 1.2
LONGEST_TIMEOUT = 43_200
FEWEST_DELIVERIES, MOST_DELIVERIES = 3, 5
EXPIRY_WARNING, EXPIRY_CRITICAL = 0.01, 0.10  # of deliveries
RETENTION_WARNING, RETENTION_CRITICAL = 0.5, 0.9  # of the retention


def advice(observed: DataFrame, run_id: int) -> DataFrame:
    """At most one row for each queue and kind."""
    rules = F.array(
        visibility_timeout(),
        max_deliveries(),
        high_water_mark(),
        workers(),
        drain_workers(),
        lease_expiry(),
        retention_risk(),
        expiry_forecast(),
    )
    given = F.explode(F.filter(rules, lambda rule: rule.isNotNull()))
    return (
        observed.withColumn("given", given)
        .select("*", "given.*")
        .withColumns({"computed_at": F.current_timestamp(), "run_id": F.lit(run_id)})
        .select(*(F.col(name).cast(SPARK_TYPES[kind]) for name, kind in QUEUE_ADVICE.columns.items()))
    )


def visibility_timeout() -> Column:
    """Too short, and slow work is done twice; far too long, and failed work waits for nothing."""
    by_median, by_p99 = 6 * F.col("processing_p50"), 2 * F.col("processing_p99")
    suggested = F.least(F.ceil(F.greatest(by_median, by_p99, F.lit(1.0))), F.lit(LONGEST_TIMEOUT))
    current = F.col("visibility_timeout")
    fits = current.between(suggested, F.greatest(10 * suggested, F.lit(60)))
    return _rule(
        "visibility_timeout",
        enough=_works() & (F.col("processing_count") >= ENOUGH),
        status=F.when(fits, "ok").otherwise("change"),
        current=current,
        suggested=suggested,
        samples=F.col("processing_count"),
        figures={
            "processing_p50": F.col("processing_p50"),
            "processing_p99": F.col("processing_p99"),
            "six_times_median": by_median,
            "twice_p99": by_p99,
        },
    )


def max_deliveries() -> Column:
    """One more than nearly all needed that were acked at all, within what is usual."""
    needed, current = F.col("deliveries_needed"), F.col("max_deliveries")
    suggested = F.greatest(F.lit(FEWEST_DELIVERIES), F.least(needed + 1, F.lit(MOST_DELIVERIES)))
    usual = current.between(FEWEST_DELIVERIES, MOST_DELIVERIES) & (current >= needed)
    return _rule(
        "max_deliveries",
        enough=_works() & needed.isNotNull() & (F.col("acked") + F.col("dead_lettered") >= ENOUGH),
        # Without a bound one message that kills its consumer is delivered for ever.
        status=F.when(current.isNull(), "warning").when(usual, "ok").otherwise("change"),
        current=current,
        suggested=suggested,
        samples=F.col("acked") + F.col("dead_lettered"),
        figures={
            "deliveries_needed": needed,
            "acked": F.col("acked"),
            "dead_lettered": F.col("dead_lettered"),
        },
    )


def high_water_mark() -> Column:
    """As many as consumers drain within the target age; more would be too old before their turn comes."""
    suggested = F.greatest(F.floor(F.col("drain_rate") * F.col("target_age_seconds")), F.lit(1))
    current = F.col("queue_size")
    fits = current.between(suggested / 2, suggested * 1.25)
    return _rule(
        "high_water_mark",
        enough=_works() & F.col("target_age_seconds").isNotNull() & (F.col("acked") >= ENOUGH),
        status=F.when(F.col("depth") > suggested, "warning").when(fits, "ok").otherwise("change"),
        current=current,
        suggested=suggested,
        samples=F.col("acked"),
        figures={
            "drain_rate": F.col("drain_rate"),
            "target_age_seconds": F.col("target_age_seconds"),
            "depth": F.col("depth"),
        },
    )


def workers() -> Column:
    """Little's law: so many are busy when all that arrives is worked on as it arrives."""
    busy = F.col("arrival_rate") * F.col("processing_mean")
    keeps_up = F.col("busy_consumers") >= 0.9 * busy
    return _rule(
        "workers",
        enough=_works() & (F.col("processing_count") >= ENOUGH),
        status=F.when(keeps_up, "ok").otherwise("change"),
        current=F.col("busy_consumers"),
        suggested=_workers_for(F.col("arrival_rate")),
        samples=F.col("processing_count"),
        figures={
            "arrival_rate": F.col("arrival_rate"),
            "processing_mean": F.col("processing_mean"),
            "peak_arrival_rate": F.col("peak_arrival_rate"),
            "workers_at_peak": _workers_for(F.col("peak_arrival_rate")),
        },
    )


def drain_workers() -> Column:
    """Those that keep up, and work off what waits within the target age besides."""
    target = F.col("target_age_seconds")
    rate = F.col("arrival_rate") + F.col("depth") / target
    late = F.col("oldest_age_seconds") > target
    return _rule(
        "drain_workers",
        enough=_works() & target.isNotNull() & (F.col("depth") > 0) & (F.col("processing_count") >= ENOUGH),
        status=F.when(late, "warning").otherwise("ok"),
        current=F.col("busy_consumers"),
        suggested=_workers_for(rate),
        samples=F.col("processing_count"),
        figures={
            "arrival_rate": F.col("arrival_rate"),
            "processing_mean": F.col("processing_mean"),
            "depth": F.col("depth"),
            "oldest_age_seconds": F.col("oldest_age_seconds"),
            "target_age_seconds": target,
        },
    )


def lease_expiry() -> Column:
    """Leases that run out are work done twice: the timeout is too short, or consumers die."""
    share = F.col("lease_expiries") / F.col("received")
    return _rule(
        "lease_expiry",
        enough=_works() & (F.col("received") >= ENOUGH),
        status=_alarm(share, EXPIRY_WARNING, EXPIRY_CRITICAL),
        current=share,
        suggested=F.lit(None),
        samples=F.col("received"),
        figures={
            "lease_expiries": F.col("lease_expiries"),
            "received": F.col("received"),
            "visibility_timeout": F.col("visibility_timeout"),
            "processing_p99": F.col("processing_p99"),
        },
    )


def retention_risk() -> Column:
    """How near the oldest message is to being dropped; also of dead-letter queues. Seen, not estimated."""
    share = F.col("oldest_age_seconds") / F.col("retention_seconds")
    return _rule(
        "retention_risk",
        enough=F.col("oldest_age_seconds").isNotNull(),
        status=F.when(F.col("expired") > 0, "critical").otherwise(
            _alarm(share, RETENTION_WARNING, RETENTION_CRITICAL)
        ),
        current=share,
        suggested=F.lit(None),
        samples=F.col("depth"),
        confidence=F.lit("high"),
        figures={
            "oldest_age_seconds": F.col("oldest_age_seconds"),
            "retention_seconds": F.col("retention_seconds"),
            "expired": F.col("expired"),
            "depth": F.col("depth"),
        },
    )


def expiry_forecast() -> Column:
    """How long a message that comes now will wait, and when one will come that expires before its turn."""
    wait = F.col("depth") / F.col("drain_rate")
    retention = F.col("retention_seconds")
    growth = F.col("arrival_rate") - F.col("drain_rate")
    room = retention * F.col("drain_rate") - F.col("depth")
    expires_in = F.when(growth > 0, F.greatest(room, F.lit(0.0)) / growth)
    return _rule(
        "expiry_forecast",
        enough=_works() & (F.col("acked") >= ENOUGH) & (F.col("drain_rate") > 0) & (F.col("depth") > 0),
        status=F.when(wait >= retention, "critical")
        .when((wait >= RETENTION_WARNING * retention) | (expires_in <= retention), "warning")
        .otherwise("ok"),
        current=wait,
        suggested=F.lit(None),
        samples=F.col("acked"),
        figures={
            "depth": F.col("depth"),
            "drain_rate": F.col("drain_rate"),
            "arrival_rate": F.col("arrival_rate"),
            "retention_seconds": retention,
            "seconds_until_messages_expire": expires_in,
        },
    )


def _rule(
    kind: str,
    *,
    enough: Column,
    status: Column,
    current: Column,
    suggested: Column,
    samples: Column,
    figures: dict[str, Column],
    confidence: Column | None = None,
) -> Column:
    by_samples = F.when(samples >= HIGH, "high").when(samples >= MEDIUM, "medium").otherwise("low")
    shown = F.struct(*(F.round(figure.cast("double"), 6).alias(name) for name, figure in figures.items()))
    return F.when(
        enough,
        F.struct(
            F.lit(kind).alias("kind"),
            status.alias("status"),
            current.cast("double").alias("current_value"),
            suggested.cast("double").alias("suggested_value"),
            F.to_json(shown).alias("figures"),
            samples.cast("long").alias("sample_size"),
            (by_samples if confidence is None else confidence).alias("confidence"),
        ),
    )


def _works() -> Column:
    """Nobody is expected to work off a dead-letter queue."""
    return ~F.col("is_dlq")


def _workers_for(rate: Column) -> Column:
    return F.greatest(F.ceil(F.round(rate * F.col("processing_mean") * HEADROOM, 6)), F.lit(1))


def _alarm(share: Column, warning: float, critical: float) -> Column:
    return F.when(share >= critical, "critical").when(share >= warning, "warning").otherwise("ok")
