-- The live key with this id and its team; every request runs it.
-- Locks nothing.
SELECT k.id, k.team_id, k.name, k.access_key_id, k.secret_digest, k.secret_encrypted, k.scopes,
       k.queue_pattern, k.created_at, k.expires_at, k.last_used_at, k.revoked_at,
       t.name AS team_name, t.max_queues AS team_max_queues, t.max_api_keys AS team_max_api_keys,
       t.max_topics AS team_max_topics, t.created_at AS team_created_at
  FROM api_key k
  JOIN team t ON t.id = k.team_id
 WHERE k.access_key_id = %(access_key_id)s
   AND k.revoked_at IS NULL
   AND (k.expires_at IS NULL
        OR k.expires_at > COALESCE(%(now)s::timestamptz, statement_timestamp()))
