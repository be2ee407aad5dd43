"""A page of a list, as the schema shows it."""

from rest_framework import serializers


def page_of(item: type[serializers.Serializer]) -> serializers.Serializer:
    fields = {
        "results": item(many=True),
        "next": serializers.URLField(allow_null=True, help_text="The next page, if there is one."),
        "previous": serializers.URLField(allow_null=True, help_text="The page before, if there is one."),
    }
    return type(f"{item.__name__}Page", (serializers.Serializer,), fields)()
