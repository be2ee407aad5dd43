"""Teams: members and keys."""

from django.urls import path

from dlq_console.views import keys, teams

TEAM = "teams/<str:team_name>/"
urlpatterns = [
    path("teams/", teams.teams, name="teams"),
    path(TEAM, teams.team, name="team"),
    path(f"{TEAM}members/", teams.add_member, name="member-add"),
    path(f"{TEAM}members/<int:member_id>/role/", teams.change_role, name="member-role"),
    path(f"{TEAM}members/<int:member_id>/remove/", teams.remove_member, name="member-remove"),
    path(f"{TEAM}keys/", keys.team_keys, name="team-keys"),
    path(f"{TEAM}keys/new/", keys.new_key, name="key-new"),
    path(f"{TEAM}keys/<str:access_key_id>/revoke/", keys.revoke_key, name="key-revoke"),
]
