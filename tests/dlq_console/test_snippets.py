"""Snippets are run as they are shown, against a server: what a page promises has to work."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import path
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from dlq_console.snippets import snippets
from queues.models import Message, Queue, Team
from queues.operations import keys
from simplemq import urls
from tests.dlq_console.curl import curl_calls
from tests.factories import new_queue

HOSTILE = 'a "quote", a \\, \u202e, ${path.module}, %{ if true }x%{ endif }, $${y} and\nJSON\n'


def shown(queue: Queue, bearer: str = "", host: str = "testserver") -> dict[str, str]:
    request = RequestFactory(SERVER_NAME=host).get("/")
    return {snippet.code: snippet.text for snippet in snippets(request, queue, bearer)}


@pytest.mark.django_db(transaction=True)
class TestAgainstAServer:
    @pytest.fixture
    def server(self, no_collected_static_files: None) -> Iterator[str]:
        """Its address. It ends before the tables are emptied."""
        server = LiveServer("127.0.0.1")
        yield server.url
        server.stop()

    @pytest.fixture
    def queue(self, team: Team) -> Queue:
        return new_queue(team, name="invoices", receive_wait_seconds=0)

    @pytest.fixture
    def bearer(self, team: Team) -> str:
        return keys.create_api_key(team, "worker", ["send", "receive"], "invoices").bearer

    def test_curl_sends_receives_and_finishes(self, server: str, queue: Queue, bearer: str) -> None:
        text = shown(queue, bearer)["curl"].replace("http://testserver", server)
        send, receive, ack = curl_calls(text)
        assert send.make()["message_id"].startswith("msg_")
        received = receive.make()
        assert received["data"] == "hello"
        done = ack._replace(body=ack.body.replace("…", received["receipt_handle"])).make()
        assert [result["status"] for result in done["results"]] == [200]
        assert not Message.objects.exists()

    def test_python_sends_receives_and_finishes(self, server: str, queue: Queue, bearer: str) -> None:
        text = shown(queue)["python"].replace("http://testserver", server)
        environment = {**os.environ, "SIMPLEMQ_API_KEY": bearer}
        ran = subprocess.run(
            [sys.executable, "-W", "error", "-c", text], env=environment, capture_output=True, text=True
        )
        assert (ran.stdout, ran.stderr) == ("hello\n", "")
        assert not Message.objects.exists()

    def test_terraform_finds_the_same_queue_again(self, server: str, team: Team) -> None:
        queue = new_queue(
            team,
            name="invoices",
            max_deliveries=7,
            backoff={"base_seconds": 5},
            description=HOSTILE,
            tags={"${a}": HOSTILE},
        )
        text = shown(queue)["terraform"].replace("http://testserver", server)
        [call] = curl_calls(
            text,
            SIMPLEMQ_API_KEY=keys.create_api_key(team, "terraform", ["manage"]).bearer,
            QUEUE="THE-BODY",
        )
        answer = call._replace(body=heredoc(text)).make()
        assert answer == {"queue_id": queue.public_id}


def heredoc(text: str) -> str:
    """The text of the heredoc as Terraform reads it: a doubled sign stands for itself."""
    body = text.split("<<-JSON\n")[1].split("\n  JSON\n")[0]
    plain = body.replace("$${", "\0").replace("%%{", "\1")
    assert "${" not in plain
    assert "%{" not in plain
    return plain.replace("\0", "${").replace("\1", "%{")


@pytest.mark.django_db
class TestWhatIsShown:
    def test_the_key_is_in_none_unless_it_was_just_made(self, queue: Queue) -> None:
        assert not any("smq_SMQ" in text for text in shown(queue).values())

    def test_the_pages_of_a_queue_have_them(self, viewer: Client, queue: Queue) -> None:
        for address in ("", "connect/"):
            page = viewer.get(f"/console/queues/{queue.public_id}/{address}").content.decode()
            for title in ("curl", "Python", "Terraform"):
                assert f"<summary>{title}</summary>" in page
            assert f"http://testserver/api/queues/{queue.public_id}/messages" in page

    def test_messages_of_a_fifo_queue_have_a_group(self, queue: Queue) -> None:
        assert "group_id" not in shown(queue)["curl"]
        queue.mode = "fifo"
        assert '"group_id": "customer-1"' in shown(queue)["curl"]

    def test_terraform_names_a_dead_letter_queue_that_the_owner_named(self, team: Team) -> None:
        letters = new_queue(team, name="letters")
        queue = new_queue(team, name="bills", dlq=letters)
        assert json.loads(heredoc(shown(queue)["terraform"])) == {
            "queue_name": "bills",
            "dlq_id": letters.public_id,
        }

    def test_hostile_text_stays_ascii_in_terraform(self, team: Team) -> None:
        text = shown(new_queue(team, description=HOSTILE))["terraform"]
        assert "\u202e" not in text

    def test_boto3_is_left_out_while_there_is_no_such_door(self, queue: Queue, settings: Settings) -> None:
        plain = [pattern for pattern in urls.urlpatterns if getattr(pattern, "name", "") != "sqs"]
        settings.ROOT_URLCONF = _Urls(plain)
        assert "boto3" not in shown(queue)

    def test_and_offered_when_there_is(self, queue: Queue, settings: Settings) -> None:
        door = path("aws/", lambda request: HttpResponse(), name="sqs")
        settings.ROOT_URLCONF = _Urls([door, *urls.urlpatterns])
        text = shown(queue)["boto3"]
        compile(text, "boto3", "exec")
        assert 'endpoint_url="http://testserver/aws/"' in text


class _Urls:
    """Stands in for a module of addresses."""

    def __init__(self, urlpatterns: list[Any]) -> None:
        self.urlpatterns = urlpatterns
