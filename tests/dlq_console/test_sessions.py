"""How long people stay signed in, and how they are led to the sign-in and back when it is over."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from dlq_console import sessions
from dlq_console.sessions import BEGAN, SEEN
from queues.models import Message
from tests.dlq_console.conftest import browser_of, new_person
from tests.factories import dead_letter

pytestmark = pytest.mark.django_db

HOUR = 3_600
REFRESH = {"HTTP_X_SIMPLEMQ_REFRESH": "1"}
HTMX = {"HTTP_HX_REQUEST": "true"}


def let_pass(client, seconds: float, name: str = SEEN) -> None:
    """As if what the session remembers had been that much earlier."""
    session = client.session
    session[name] -= seconds
    session.save()


def is_signed_in(client, **how) -> bool:
    return client.get("/console/", **how).status_code == 200


def writes_of(client, **how) -> int:
    """Statements on sessions beside the one that reads it."""
    with CaptureQueriesContext(connection) as statements:
        assert is_signed_in(client, **how)
    about_sessions = [query["sql"] for query in statements if "django_session" in query["sql"]]
    return sum(not sql.startswith("SELECT") for sql in about_sessions)


class TestIdleness:
    def test_it_ends_the_session(self, owner):
        let_pass(owner, HOUR - 10)
        assert is_signed_in(owner)
        let_pass(owner, HOUR)
        assert not is_signed_in(owner)

    def test_what_ended_is_gone_from_the_database(self, owner):
        let_pass(owner, HOUR)
        is_signed_in(owner)
        assert not Session.objects.exists()

    def test_activity_puts_it_off(self, owner):
        for _ in range(5):
            let_pass(owner, HOUR - 10)
            assert is_signed_in(owner)

    def test_a_page_that_refreshes_itself_does_not(self, owner):
        let_pass(owner, HOUR / 2)
        assert is_signed_in(owner, **REFRESH)
        assert is_signed_in(owner, **REFRESH, **HTMX)
        let_pass(owner, HOUR / 2)
        assert not is_signed_in(owner, **REFRESH)

    def test_looking_at_pages_writes_at_most_once_a_minute(self, owner):
        assert writes_of(owner) == 0
        let_pass(owner, 50)
        assert writes_of(owner) == 0
        let_pass(owner, 10)
        assert writes_of(owner) == 1
        assert writes_of(owner) == 0

    def test_a_refresh_never_writes(self, owner):
        let_pass(owner, HOUR / 2)
        assert writes_of(owner, **REFRESH) == 0

    def test_how_long_is_a_setting(self, owner, settings):
        settings.SIMPLEMQ_SESSION_IDLE_SECONDS = 600
        let_pass(owner, 601)
        assert not is_signed_in(owner)


class TestTheWholeLength:
    def test_it_ends_however_active_somebody_is(self, owner):
        let_pass(owner, 12 * HOUR - 10, BEGAN)
        assert is_signed_in(owner)
        let_pass(owner, 10, BEGAN)
        assert not is_signed_in(owner)

    def test_how_long_is_a_setting(self, owner, settings):
        settings.SIMPLEMQ_SESSION_ABSOLUTE_SECONDS = 2 * HOUR
        let_pass(owner, 2 * HOUR, BEGAN)
        assert not is_signed_in(owner)

    def test_a_session_from_before_these_rules_ends(self, owner):
        session = owner.session
        del session[BEGAN], session[SEEN]
        session.save()
        assert not is_signed_in(owner)

    def test_a_new_sign_in_begins_anew(self, team):
        user = new_person("vera", team)
        client = browser_of(user)
        let_pass(client, 13 * HOUR, BEGAN)
        client.force_login(user)
        assert is_signed_in(client)


def test_the_admin_has_the_same_limits(db):
    root = new_person("root")
    root.is_staff = root.is_superuser = True
    root.save()
    client = browser_of(root)
    assert client.get("/admin/").status_code == 200
    let_pass(client, HOUR)
    assert client.get("/admin/").status_code == 302


class TestTimes:
    """By the clock that is given, to the second."""

    now = timezone.now()

    @pytest.fixture
    def session(self, owner):
        session = owner.session
        sessions.begin(session, self.now)
        return session

    @pytest.mark.parametrize(("seconds", "over"), [(HOUR - 1, False), (HOUR, True)])
    def test_idle(self, session, seconds, over):
        assert bool(sessions.why_over(session, self.now + timedelta(seconds=seconds))) is over

    @pytest.mark.parametrize(("seconds", "over"), [(12 * HOUR - 1, False), (12 * HOUR, True)])
    def test_in_all(self, session, seconds, over):
        moment = self.now + timedelta(seconds=seconds)
        session[SEEN] = moment.timestamp()
        assert bool(sessions.why_over(session, moment)) is over


class TestComingBack:
    def test_a_page_leads_to_the_sign_in_and_back_and_says_why(self, owner, queue):
        let_pass(owner, HOUR)
        page = f"/console/queues/{queue.public_id}/?span=3600"
        response = owner.get(page, follow=True)
        address, _ = response.redirect_chain[-1]
        assert address.startswith("/accounts/login/?next=/console/queues/")
        assert "signed out after 1 h in which nothing was done" in response.content.decode()
        given = {"username": "olga", "password": "the password of olga"}
        assert owner.post(address, given)["Location"] == page

    def test_it_says_when_it_was_the_whole_length(self, owner):
        let_pass(owner, 12 * HOUR, BEGAN)
        assert "no longer than 12 h" in owner.get("/console/", follow=True).content.decode()

    def test_a_form_leads_back_to_the_page_it_was_on(self, anybody, queue):
        response = anybody.post(self.deed(queue), HTTP_REFERER=f"http://testserver{self.page(queue)}?after=x")
        assert response.status_code == 302
        assert response["Location"] == f"/accounts/login/?next={self.page(queue)}%3Fafter%3Dx"

    @pytest.mark.parametrize(
        "elsewhere", ["https://evil.example/console/", "//evil.example/", "nonsense:", ""]
    )
    def test_a_form_from_elsewhere_leads_to_the_overview(self, anybody, queue, elsewhere):
        response = anybody.post(self.deed(queue), HTTP_REFERER=elsewhere)
        assert response["Location"] == "/accounts/login/?next=/console/"

    def test_htmx_leads_the_whole_page_there(self, anybody, queue):
        """Otherwise it would put the form into the row it asked for."""
        current = {"HTTP_HX_CURRENT_URL": f"http://testserver{self.page(queue)}"}
        renewed = f"/console/queues/{queue.public_id}/dead-letters/"
        for response in (
            anybody.get(renewed, **HTMX, **current),
            anybody.post(self.deed(queue), **HTMX, **current),
        ):
            assert (response.status_code, response.content) == (204, b"")
            assert response["HX-Redirect"] == f"/accounts/login/?next={self.page(queue)}"

    def test_htmx_leads_back_to_our_pages_only(self, anybody, queue):
        elsewhere = {"HTTP_HX_CURRENT_URL": "https://evil.example/"}
        response = anybody.post(self.deed(queue), **HTMX, **elsewhere)
        assert response["HX-Redirect"] == "/accounts/login/?next=/console/"

    def test_nothing_was_done(self, owner, queue):
        let_pass(owner, HOUR)
        dlq = dead_letter(queue)
        letter = Message.objects.get(queue_id=dlq.pk)
        response = owner.post(f"/console/queues/{dlq.public_id}/messages/{letter.public_id}/requeue/", **HTMX)
        assert "HX-Redirect" in response
        assert Message.objects.get().queue_id == dlq.pk

    @staticmethod
    def page(queue) -> str:
        return f"/console/queues/{queue.public_id}/messages/"

    @staticmethod
    def deed(queue) -> str:
        return f"/console/queues/{queue.public_id}/dead-letters/bulk/"


class TestWhatIsStored:
    """Nothing: neither by the browser nor by a proxy."""

    @pytest.mark.parametrize(
        "path",
        [
            "/console/",
            "/console/queues/{queue}/",
            "/console/queues/{queue}/chart/",
            "/console/queues/{queue}/messages/",
            "/console/queues/{dlq}/dead-letters/",
            "/console/queues/{dlq}/messages/{letter}/",
            "/console/queues/{dlq}/messages/{letter}/raw/",
            "/console/queues/{dlq}/redrives/",
            "/console/nothing/",
            "/accounts/password_change/",
            "/admin/",
        ],
    )
    def test_pages_of_people_are_private_and_kept_nowhere(self, owner, queue, path):
        dlq = dead_letter(queue)
        letter = Message.objects.get(queue_id=dlq.pk)
        names = {"queue": queue.public_id, "dlq": dlq.public_id, "letter": letter.public_id}
        response = owner.get(path.format(**names))
        kept = {part.strip() for part in response["Cache-Control"].split(",")}
        assert {"private", "no-store"} <= kept

    def test_nor_is_what_they_download(self, owner, queue):
        response = owner.post(f"/console/queues/{queue.public_id}/export/", {"format": "jsonl"})
        assert response.status_code == 200
        assert "no-store" in response["Cache-Control"]
