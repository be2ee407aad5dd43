"""Every page of the console and of the admin, for tests that hold for all of them. A new page is one line."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.contrib import admin
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, URLResolver, get_resolver, reverse

from dlq_console.admin.window import WindowAdmin
from tests.dlq_console.filling import Place

CONSOLE, ACCOUNTS = "dlq_console.urls", "dlq_console.urls.accounts"


class Page(NamedTuple):
    """The name of an address and what may follow it: words in braces are things of the place."""

    name: str
    query: str = ""
    by_htmx: bool = False
    by_post: bool = False  # for what is long or secret: it changes nothing, but for a note of who has seen it
    by_anybody: bool = False  # who has not signed in
    leads_on: bool = False
    may_give_up: bool = False  # it looks for words in every body, for so long and no longer

    def __str__(self) -> str:
        return f"{self.name}?{self.query}" if self.query else self.name


OF_A_GROUP = 'q=fingerprint:"{large}"'
PAGES = [
    Page("overview"),
    Page("overview", "dlqs=on&name=dead"),
    Page("queue"),
    Page("queue", "minutes=1440"),
    Page("queue-chart"),
    Page("dlq"),
    Page("dead-letters"),
    Page("dead-letters", "after={middle}"),
    Page("dead-letters", "before={end}"),
    Page("dead-letters", OF_A_GROUP),
    Page("dead-letters", OF_A_GROUP + "&after={middle}"),
    Page("dead-letters", OF_A_GROUP + "&before={end}"),
    Page("dead-letters", 'q=fingerprint:"{small}"'),
    Page("dead-letters", "q=attribute.tenant:tenant-19"),
    Page("dead-letters", "q=attribute.tenant:tenant-19&after={middle}"),
    Page("dead-letters", "q=attribute.tenant:tenant-19&before={end}"),
    Page("dead-letters", "q=error:Timeout"),
    Page("dead-letters", "q=id:{letter}"),
    Page("dead-letters", "state=leased"),
    Page("browse"),
    Page("browse", "state=ready"),
    Page("browse", "state=leased"),
    Page("browse", "state=delayed"),
    Page("browse", "state=exhausted"),
    Page("message"),
    Page("message-raw"),
    Page("message-diff", "a={letter}&b={middle}"),
    Page("edit"),
    Page("export", "q=", by_post=True),
    Page("export", "q=attribute.tenant:tenant-19&format=csv", by_post=True),
    Page("redrives"),
    Page("redrive"),
    Page("redrive-new", 'q=fingerprint:"{small}"'),
    Page("redrive-plan", 'q=fingerprint:"{small}"'),
    Page("redrive-plan", "limit=10"),
    Page("trash"),
    Page("trash-message"),
    Page("audit"),
    Page("search", "q=orders", may_give_up=True),
    Page("search", 'q=fingerprint:"{small}"'),
    Page("search", "q={letter}", leads_on=True),
    Page("queue-new"),
    Page("queue-new-preview", "name=orders", by_htmx=True, by_post=True),
    Page("queue-connect"),
    Page("queue-settings"),
    Page("queue-settings-preview", "visibility_timeout=5", by_htmx=True, by_post=True),
    Page("queue-purge"),
    Page("queue-delete"),
    Page("teams"),
    Page("team"),
    Page("member-remove"),
    Page("team-keys"),
    Page("key-new"),
    Page("key-revoke"),
    Page("login", by_anybody=True),
    Page("password_change"),
    Page("password_change_done"),
]
# Addresses that show no page: they only take a POST. See test_audit_in_one_transaction.py
DEEDS = {
    "advice-apply",
    "bulk",
    "discard",
    "group-note",
    "logout",
    "member-add",
    "member-role",
    "message-reveal",
    "queue-pause",
    "queue-resume",
    "redrive-cancel",
    "redrive-start",
    "redrive-undo",
    "requeue",
    "restore",
    "trash-reveal",
    "undo-requeue",
}


def names() -> set[str]:
    """Of all addresses of the console there are."""
    return {pattern.name for urlconf in (CONSOLE, ACCOUNTS) for pattern in patterns(urlconf) if pattern.name}


def patterns(urlconf: str) -> Iterator[URLPattern]:
    def walk(resolver: Any) -> Iterator[URLPattern]:
        for each in resolver.url_patterns:
            if isinstance(each, URLResolver):
                yield from walk(each)
            else:
                yield each

    return walk(get_resolver(urlconf))


def address_of(name: str, place: Place) -> str:
    """With whatever it names in its path."""
    wanted = {
        key
        for urlconf in (CONSOLE, ACCOUNTS)
        for pattern in patterns(urlconf)
        if pattern.name == name
        for key in pattern.pattern.converters
    }
    given = {key: place.named(name, key) for key in wanted}
    try:
        return reverse(f"console:{name}", kwargs=given)
    except NoReverseMatch:
        return reverse(name, kwargs=given)


def visit(client: Client, page: Page, place: Place) -> bytes:
    """The page, or the beginning of what it streams."""
    address, query = address_of(page.name, place), page.query.format(**place.words)
    headers = {"HX-Request": "true"} if page.by_htmx else {}
    if page.by_anybody:
        client = Client()
    if page.by_post:
        form = dict(part.split("=", 1) for part in query.split("&"))
        answer: Any = client.post(address, form, headers=headers)
    else:
        answer = client.get(f"{address}?{query}" if query else address, headers=headers)
    assert answer.status_code == (302 if page.leads_on else 200), (str(page), answer.status_code)
    return next(iter(answer.streaming_content)) if answer.streaming else answer.content


def admin_lists(place: Place | None) -> dict[str, str]:
    """The list of every model of ours in the admin, by its name; of one queue where there is a choice."""
    return {
        model._meta.model_name: f"/admin/queues/{model._meta.model_name}/{_scope(registered, place)}"
        for model, registered in admin.site._registry.items()
        if model._meta.app_label == "queues"
    }


def _scope(registered: Any, place: Place | None) -> str:
    return f"?queue={place.dlq.public_id}" if place and isinstance(registered, WindowAdmin) else ""
