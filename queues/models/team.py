"""A team owns queues, keys and members; nothing is visible across teams."""

from django.conf import settings
from django.db import models

from queues import limits


class Role(models.TextChoices):
    VIEWER = "viewer"
    OPERATOR = "operator"
    OWNER = "owner"


class Team(models.Model):
    name = models.CharField(max_length=80, unique=True)
    max_queues = models.PositiveIntegerField(default=limits.QUEUES_PER_TEAM)
    max_api_keys = models.PositiveIntegerField(default=limits.API_KEYS_PER_TEAM)
    max_topics = models.PositiveIntegerField(default=limits.TOPICS_PER_TEAM)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "team"

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role, default=Role.VIEWER)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "membership"
        constraints = [models.UniqueConstraint(fields=["team", "user"], name="membership_once_per_team")]

    def __str__(self) -> str:
        return f"{self.user} in {self.team} as {self.role}"
