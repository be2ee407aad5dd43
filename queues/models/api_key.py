"""An API key: the Bearer token of the REST door and the credentials of the SQS door."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from queues.managers.api_key import ApiKeyManager
from queues.models.team import Team


class ApiKey(models.Model):
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="api_keys")
    name = models.CharField(max_length=80)
    access_key_id = models.CharField(max_length=32, unique=True)
    # The digest answers Bearer tokens without decrypting; the ciphertext lets a signature be checked.
    secret_digest = models.BinaryField(max_length=32)
    secret_encrypted = models.BinaryField()
    scopes = ArrayField(models.CharField(max_length=16))
    queue_pattern = models.CharField(max_length=200, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = ApiKeyManager()

    class Meta:
        db_table = "api_key"
        constraints = [
            models.UniqueConstraint(
                fields=["team", "name"],
                condition=models.Q(revoked_at=None),
                name="api_key_name_once_per_team",
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.access_key_id})"
