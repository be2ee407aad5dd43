-- Notes that a key is in use, at most once a minute.
-- Locks the key's row or does nothing: of many requests in one moment one writes, the others do not wait.
UPDATE api_key
   SET last_used_at = COALESCE(%(now)s::timestamptz, statement_timestamp())
 WHERE id = (SELECT id
               FROM api_key
              WHERE id = %(id)s::bigint
                AND (last_used_at IS NULL
                     OR last_used_at <= COALESCE(%(now)s::timestamptz, statement_timestamp())
                                        - interval '1 minute')
                FOR NO KEY UPDATE SKIP LOCKED)
