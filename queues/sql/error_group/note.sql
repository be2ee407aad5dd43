-- Write a note on a group, which may not have been folded yet. Locks the group.
INSERT INTO error_group AS g (queue_id, fingerprint, count, title, note, noted_by, noted_at)
VALUES (
    %(queue_id)s::bigint, %(fingerprint)s::text, 0, '', %(note)s::text, %(by)s::text,
    COALESCE(%(now)s::timestamptz, statement_timestamp())
)
ON CONFLICT (queue_id, fingerprint) DO UPDATE
   SET note = excluded.note,
       noted_by = excluded.noted_by,
       noted_at = excluded.noted_at
