import re

from django.test import Client

INLINE = re.compile(r"<style|<script(?![^>]*src=)|\son[a-z]+=|\sstyle=", re.IGNORECASE)


def test_it_has_no_inline_script_or_style_for_the_policy_to_refuse() -> None:
    response = Client().get("/api/docs/")
    assert response.status_code == 200
    assert "default-src 'self'" in response["Content-Security-Policy"]
    assert not INLINE.search(response.content.decode())


def test_it_works_without_the_internet() -> None:
    page = Client().get("/api/docs").content.decode()
    addresses = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert len(addresses) == 4
    assert all(address.startswith("/") and not address.startswith("//") for address in addresses)


def test_it_loads_the_schema_of_this_service() -> None:
    script = Client().get("/api/docs/", {"script": ""})
    assert script["Content-Type"].startswith("application/javascript")
    assert b'url: "/api/schema"' in script.content


def test_it_puts_no_policy_on_json() -> None:
    assert "Content-Security-Policy" not in Client().get("/healthz")
