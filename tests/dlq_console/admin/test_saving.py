"""What is typed into a form goes through the operations, which say what is wrong beside the field."""

import pytest
from django.contrib.auth.models import User

from queues.models import ApiKey, AuditEntry, Membership, Queue, Role, Subscription, Team, Topic
from queues.operations import keys, queues, teams, topics
from tests.factories import new_queue, new_team, new_topic

NO_MEMBERS = {"memberships-TOTAL_FORMS": 0, "memberships-INITIAL_FORMS": 0}
QUEUE = {
    "name": "invoices",
    "mode": "standard",
    "visibility_timeout": 30,
    "max_deliveries": 3,
    "delay_seconds": 0,
    "receive_wait_seconds": 0,
    "max_message_bytes": 262144,
    "retention_seconds": 345600,
    "backoff": "",
    "tags": "{}",
}


def errors(answer):
    assert answer.status_code == 200
    form = answer.context["adminform"].form
    return {field: list(texts) for field, texts in form.errors.items()}


def audit():
    return [(entry.action, entry.subject) for entry in AuditEntry.objects.order_by("id")]


class TestKeys:
    ADD = "/admin/queues/apikey/add/"

    def issue(self, client, team, **fields):
        return client.post(self.ADD, {"team": team.pk, "name": "deploy", "scopes": ["send"], **fields})

    def test_it_shows_the_secret_once(self, superuser, team):
        answer = self.issue(superuser, team)
        issued = answer.context["issued"]
        assert keys.authenticate(issued.bearer) == ApiKey.objects.get()
        assert issued.secret in answer.content.decode()
        assert "no-store" in answer["Cache-Control"]
        assert audit() == [("key.created", "deploy")]

    def test_no_page_shows_it_again(self, superuser, team):
        secret = self.issue(superuser, team).context["issued"].secret
        key = ApiKey.objects.get()
        hidden = [secret, key.secret_digest.hex(), "secret_digest", "secret_encrypted"]
        for address in ("", f"{key.pk}/change/", f"{key.pk}/history/"):
            html = superuser.get(f"/admin/queues/apikey/{address}").content.decode()
            assert not [text for text in hidden if text in html]

    def test_the_audit_has_no_secret(self, superuser, team):
        secret = self.issue(superuser, team).context["issued"].secret
        assert secret not in str(AuditEntry.objects.values().get())

    def test_a_second_post_issues_nothing(self, superuser, team):
        self.issue(superuser, team)
        assert errors(self.issue(superuser, team)) == {
            "name": ["The team has a live key named deploy already."]
        }
        assert ApiKey.objects.count() == 1

    def test_a_bad_pattern_is_said_beside_its_field(self, superuser, team):
        found = errors(self.issue(superuser, team, queue_pattern="a b"))
        assert found == {"queue_pattern": ["Must be one queue name, with * ? and [] as wildcards."]}
        assert audit() == []

    def test_it_cannot_be_changed_or_deleted(self, superuser, team):
        key = keys.create_api_key(team, "deploy", ["send"]).key
        for page in ("change", "delete"):
            address = f"/admin/queues/apikey/{key.pk}/{page}/"
            assert superuser.post(address, {"name": "x", "post": "yes"}).status_code == 403


class TestQueues:
    ADD = "/admin/queues/queue/add/"

    def change(self, client, queue, **fields):
        return client.post(f"/admin/queues/queue/{queue.pk}/change/", {**QUEUE, **fields})

    def test_it_creates_one(self, superuser, team):
        superuser.post(self.ADD, {**QUEUE, "team": team.pk, "visibility_timeout": 60})
        made = Queue.objects.get()
        assert (made.name, made.visibility_timeout, made.tags) == ("invoices", 60, {})
        assert audit() == [("queue.created", "invoices")]

    def test_it_keeps_a_quota(self, superuser, team):
        Team.objects.update(max_queues=0)
        found = errors(superuser.post(self.ADD, {**QUEUE, "team": team.pk}))
        assert found == {"__all__": ["The team has 0 queues, as many as it may have."]}
        assert audit() == []

    @pytest.mark.parametrize("name", ["a b", "<script>", "x" * 80 + ".fifo"])
    def test_a_bad_name_is_refused(self, superuser, team, name):
        assert "name" in errors(superuser.post(self.ADD, {**QUEUE, "team": team.pk, "name": name}))

    def test_a_name_is_given_once(self, superuser, team):
        new_queue(team, name="invoices")
        found = errors(superuser.post(self.ADD, {**QUEUE, "team": team.pk}))
        assert found == {"name": ["The team has a queue of this name."]}

    def test_it_changes_settings(self, superuser, queue):
        self.change(superuser, queue, max_deliveries=7)
        queue.refresh_from_db()
        assert queue.max_deliveries == 7
        assert AuditEntry.objects.get().detail == {
            "before": {"max_deliveries": 1},
            "after": {"max_deliveries": 7},
        }

    def test_a_setting_out_of_bounds_is_said_beside_its_field(self, superuser, queue):
        found = errors(self.change(superuser, queue, visibility_timeout=99_999))
        assert found == {"visibility_timeout": ["Must be between 0 and 43200."]}

    def test_another_teams_queue_is_no_dead_letter_queue(self, superuser, queue):
        other = new_queue(new_team(), name="theirs")
        found = errors(self.change(superuser, queue, dlq=other.pk))
        assert found == {"dlq": ["There is no such queue."]}
        assert audit() == []

    def test_its_name_and_state_stay(self, superuser, queue):
        self.change(superuser, queue, name="other", paused="on", max_deliveries=1)
        queue.refresh_from_db()
        assert (queue.name, queue.paused) == ("orders", False)


class TestTopics:
    ADD = "/admin/queues/topic/add/"

    def test_it_creates_one(self, superuser, team):
        superuser.post(self.ADD, {"team": team.pk, "name": "events"})
        made = Topic.objects.get()
        assert (made.team, made.name) == (team, "events")
        assert audit() == [("topic.created", "events")]

    def test_it_keeps_a_quota(self, superuser, team):
        Team.objects.update(max_topics=0)
        found = errors(superuser.post(self.ADD, {"team": team.pk, "name": "events"}))
        assert found == {"__all__": ["The team has 0 topics, as many as it may have."]}
        assert audit() == []

    @pytest.mark.parametrize("name", ["a b", "<script>", "a.fifo"])
    def test_a_bad_name_is_refused(self, superuser, team, name):
        assert "name" in errors(superuser.post(self.ADD, {"team": team.pk, "name": name}))

    def test_a_name_is_given_once(self, superuser, team):
        new_topic(team, "events")
        assert "__all__" in errors(superuser.post(self.ADD, {"team": team.pk, "name": "events"}))
        assert Topic.objects.count() == 1

    def test_it_cannot_be_changed(self, superuser, team):
        topic = new_topic(team)
        for page in ("change", "delete"):
            address = f"/admin/queues/topic/{topic.pk}/{page}/"
            assert superuser.post(address, {"name": "x", "post": "yes"}).status_code == 403


class TestSubscriptions:
    ADD = "/admin/queues/subscription/add/"

    @pytest.fixture
    def form(self, queue):
        topic = new_topic(queue.team, "events")
        return {"topic": topic.pk, "queue": queue.pk, "filter": ""}

    def test_it_creates_one(self, superuser, queue, form):
        superuser.post(self.ADD, {**form, "filter": '{"kind": ["order"]}'})
        made = Subscription.objects.get()
        assert (made.queue, made.topic.name, made.filter) == (queue, "events", {"kind": ["order"]})
        [entry] = AuditEntry.objects.all()
        assert (entry.action, entry.queue, entry.subject) == ("subscription.created", queue, "events")
        assert entry.detail == {"filter": {"kind": ["order"]}}

    def test_an_empty_filter_lets_every_message_pass(self, superuser, form):
        superuser.post(self.ADD, form)
        assert Subscription.objects.get().filter is None

    @pytest.mark.parametrize(
        ("filter", "text"),
        [
            ('{"kind": "order"}', "kind: Must be a list that is not empty."),
            ('{"kind": [{"exists": 1}]}', "kind.0.exists: Must be true or false."),
            ("[]", "Must be an object."),
            ("{}", "Must name an attribute. Leave it out to get every message."),
        ],
    )
    def test_a_bad_filter_is_said_beside_its_field(self, superuser, form, filter, text):
        assert errors(superuser.post(self.ADD, {**form, "filter": filter})) == {"filter": [text]}
        assert audit() == []

    def test_another_teams_queue_cannot_be_subscribed(self, superuser, form):
        found = errors(superuser.post(self.ADD, {**form, "queue": new_queue(new_team()).pk}))
        assert found == {"queue": ["There is no such queue."]}
        assert not Subscription.objects.exists()

    @pytest.mark.parametrize(("field", "term"), [("queue", "order"), ("topic", "event")])
    def test_it_finds_what_is_typed_into_its_fields(self, superuser, queue, form, field, term):
        asked = {"app_label": "queues", "model_name": "subscription", "field_name": field, "term": term}
        found = superuser.get("/admin/autocomplete/", asked).json()["results"]
        assert [row["id"] for row in found] == [str(form[field])]
        queues.delete(queue)
        topics.delete(Topic.objects.get())
        assert superuser.get("/admin/autocomplete/", asked).json()["results"] == []

    def test_a_queue_is_subscribed_once(self, superuser, form):
        superuser.post(self.ADD, form)
        assert "__all__" in errors(superuser.post(self.ADD, form))
        assert Subscription.objects.count() == 1

    def test_it_cannot_be_changed(self, superuser, subscription):
        for page in ("change", "delete"):
            address = f"/admin/queues/subscription/{subscription.pk}/{page}/"
            assert superuser.post(address, {"filter": "{}", "post": "yes"}).status_code == 403


class TestTeams:
    def test_it_creates_one_with_a_member(self, superuser):
        olga = User.objects.create_user("olga")
        member = {"memberships-0-user": olga.pk, "memberships-0-role": "owner"}
        form = {
            "name": "billing",
            "max_queues": 5,
            "max_topics": 7,
            "max_api_keys": 6,
            **NO_MEMBERS,
            **member,
        }
        superuser.post("/admin/queues/team/add/", {**form, "memberships-TOTAL_FORMS": 1})
        team = Team.objects.get()
        assert (team.name, team.max_queues, team.max_topics, team.max_api_keys) == ("billing", 5, 7, 6)
        assert team.memberships.get().role == Role.OWNER
        assert audit() == [("team.created", "billing"), ("member.added", "olga")]

    def test_a_bad_name_is_refused(self, superuser):
        form = {"name": "a b", "max_queues": 5, "max_topics": 7, "max_api_keys": 6, **NO_MEMBERS}
        assert "name" in errors(superuser.post("/admin/queues/team/add/", form))
        assert Team.objects.count() == 0

    def test_it_changes_and_removes_members_beside_the_team(self, superuser, team):
        kept, gone = (teams.add_member(team, User.objects.create_user(name)) for name in ("olga", "gus"))
        form = {
            "max_queues": 9,
            "max_topics": team.max_topics,
            "max_api_keys": team.max_api_keys,
            "memberships-TOTAL_FORMS": 2,
            "memberships-INITIAL_FORMS": 2,
        }
        for number, (row, changes) in enumerate([(kept, {"role": "owner"}), (gone, {"DELETE": "on"})]):
            fields = {"id": row.pk, "team": team.pk, "user": row.user_id, "role": row.role, **changes}
            form |= {f"memberships-{number}-{name}": value for name, value in fields.items()}
        superuser.post(f"/admin/queues/team/{team.pk}/change/", form)
        assert Membership.objects.get().role == Role.OWNER
        assert audit() == [("team.changed", team.name), ("member.changed", "olga"), ("member.removed", "gus")]

    def test_it_cannot_be_deleted(self, superuser, team):
        assert superuser.post(f"/admin/queues/team/{team.pk}/delete/", {"post": "yes"}).status_code == 403


class TestMemberships:
    @pytest.fixture
    def membership(self, team):
        return teams.add_member(team, User.objects.create_user("olga"))

    def test_it_adds_one(self, superuser, team):
        vera = User.objects.create_user("vera")
        form = {"team": team.pk, "user": vera.pk, "role": "viewer"}
        superuser.post("/admin/queues/membership/add/", form)
        assert team.memberships.get().user == vera
        assert audit() == [("member.added", "vera")]

    def test_it_changes_the_role_only(self, superuser, membership, root):
        form = {"role": "owner", "user": root.pk}
        superuser.post(f"/admin/queues/membership/{membership.pk}/change/", form)
        changed = Membership.objects.get()
        assert (changed.role, changed.user) == ("owner", membership.user)
        assert audit() == [("member.changed", "olga")]

    def test_it_removes_one_after_asking(self, superuser, membership):
        address = f"/admin/queues/membership/{membership.pk}/delete/"
        assert superuser.get(address).status_code == 200
        assert Membership.objects.exists()
        superuser.post(address, {"post": "yes"})
        assert not Membership.objects.exists()
        assert audit() == [("member.removed", "olga")]

    def test_it_keeps_the_last_owner(self, superuser, team, membership):
        teams.change_role(membership, Role.OWNER)
        page = f"/admin/queues/membership/{membership.pk}/"
        answer = superuser.post(f"{page}delete/", {"post": "yes"}, follow=True)
        assert "A team needs an owner" in answer.content.decode()
        assert (
            "A team needs an owner" in superuser.post(f"{page}change/", {"role": "viewer"}).content.decode()
        )
        assert Membership.objects.get().role == Role.OWNER
        assert audit() == []
