"""The caller, as the service knows him."""

from rest_framework import serializers

from queues import limits


class Quota(serializers.Serializer):
    limit = serializers.IntegerField()
    used = serializers.IntegerField()


class Quotas(serializers.Serializer):
    queues = Quota()
    topics = Quota()
    api_keys = Quota()


class Whoami(serializers.Serializer):
    team = serializers.CharField()
    key_name = serializers.CharField()
    scopes = serializers.ListField(child=serializers.ChoiceField(limits.SCOPES))
    quotas = Quotas()
