"""What a queue holds, and how fast messages come and go."""

from rest_framework import serializers

from queues.api.serializers.queue import QueueCounts


class Rates(serializers.Serializer):
    """Messages per second."""

    minutes = serializers.IntegerField(help_text="Over the last so many minutes.")
    sent = serializers.FloatField()
    received = serializers.FloatField()
    acked = serializers.FloatField()
    dead_lettered = serializers.FloatField()
    expired = serializers.FloatField()


class QueueStats(QueueCounts):
    """What a queue holds just now, and how fast messages have come and gone."""

    rates = Rates(many=True)
