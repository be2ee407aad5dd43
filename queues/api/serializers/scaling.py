"""How many consumers a queue could do with."""

import re

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from queues import limits
from queues.api.fields import QueryText, QueryWhole
from queues.api.shapes import QueryShape

STEP = r"[0-9]{1,9}:[0-9]{1,5}"
STEPS = re.compile(rf"{STEP}(,{STEP}){{0,{limits.SCALING_STEPS - 1}}}\Z", re.ASCII)


@extend_schema_field({"type": "string", "pattern": f"^{STEP}(,{STEP}){{0,{limits.SCALING_STEPS - 1}}}$"})
class Steps(QueryText):
    """`500:5,2000:15`: from 500 messages on 5 workers, from 2,000 on 15."""

    def to_internal_value(self, data: str) -> list[tuple[int, int]]:  # type: ignore[override]
        if not STEPS.match(data):
            raise serializers.ValidationError(
                f"Must be 1 to {limits.SCALING_STEPS} steps of the form messages:workers, as 500:5,2000:15."
            )
        pairs = (step.split(":") for step in data.split(","))
        return [(int(messages), int(workers)) for messages, workers in pairs]


class ScalingQuery(QueryShape):
    messages_per_worker = QueryWhole(
        limits.MESSAGES_PER_WORKER, required=False, help_text="By default 100, unless another way is given."
    )
    target_drain_seconds = QueryWhole(
        limits.DRAIN_SECONDS,
        required=False,
        help_text="Drain the backlog in so many seconds. Not heeded until a worker has been seen at work.",
    )
    steps = Steps(
        required=False, help_text="`500:5,2000:15`: from 500 messages on 5 workers, from 2,000 on 15."
    )


class Scaling(serializers.Serializer):
    desired_workers = serializers.IntegerField(
        help_text="The largest of what was asked for; 0 while it is paused."
    )
    backlog = serializers.IntegerField(help_text="Messages that wait or are in flight.")
    drain_rate = serializers.FloatField(help_text="Messages finished a second, over the last 5 minutes.")
    arrival_rate = serializers.FloatField(help_text="Messages sent a second, over the last 5 minutes.")
    per_worker_rate = serializers.FloatField(
        allow_null=True,
        help_text="Messages one worker finishes in a second, by the last day or by what is in flight.",
    )
