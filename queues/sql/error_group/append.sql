-- Count dead letters in or out of their groups, in the transaction that moves them: after a move in, before a
-- move out. Of each group the newest gives the title. Locks nothing: rows are only ever added.
INSERT INTO error_group_delta (queue_id, fingerprint, count, arrived, title, error_type, at)
SELECT queue_id,
       fingerprint,
       %(sign)s::int * count(*),
       CASE WHEN %(arrived)s::boolean THEN count(*) ELSE 0 END,
       (array_agg(letter.title ORDER BY letter.id DESC))[1],
       (array_agg(error_type ORDER BY letter.id DESC))[1],
       COALESCE(%(now)s::timestamptz, statement_timestamp())
  FROM (
           SELECT m.id,
                  queue_id,
                  fingerprint,
                  error_type,
                  CASE
                      WHEN %(sign)s::int < 0 THEN NULL
                      WHEN last_error IS NULL THEN wanted.title
                      ELSE left(
                          concat_ws(
                              ': ', error_type,
                              NULLIF(split_part(ltrim(last_error ->> 'message', E' \t\r\n'), E'\n', 1), '')
                          ),
                          300
                      )
                  END AS title
             FROM message AS m
             JOIN unnest(%(ids)s::uuid[], %(titles)s::text[]) AS wanted (id, title) ON wanted.id = m.id
            WHERE m.queue_id = %(queue_id)s::bigint
              AND m.id = ANY (%(ids)s::uuid[])
              AND dead_lettered_at IS NOT NULL
              AND fingerprint IS NOT NULL
       ) AS letter
 GROUP BY queue_id, fingerprint
