"""Django's admin: every table a person may want to look up, and the deeds that need no page of their own.

Its addresses belong to superusers. Operators of a team work in the console, where roles decide.
"""

from django.contrib import admin

from dlq_console.admin import (
    api_key,
    audit_entry,
    discarded_message,
    error_group,
    membership,
    message,
    one_door,
    queue,
    redrive_task,
    subscription,
    team,
    topic,
)

__all__ = [
    "api_key",
    "audit_entry",
    "discarded_message",
    "error_group",
    "membership",
    "message",
    "one_door",
    "queue",
    "redrive_task",
    "subscription",
    "team",
    "topic",
]

admin.site.site_header = "SimpleMQ"
admin.site.site_title = "SimpleMQ"
admin.site.index_title = "SimpleMQ administration"
admin.site.site_url = "/console/"
# Before the addresses of the site are made from them.
admin.site.login = one_door.login  # type: ignore[method-assign]
admin.site.logout = one_door.logout  # type: ignore[assignment,method-assign]
admin.site.password_change = one_door.password_change  # type: ignore[assignment,method-assign]
