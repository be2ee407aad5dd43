-- Forget groups that are empty, without a note, and in which nobody died since a moment, or ever.
-- Locks them, passing over those that are being folded or written about: the next pass comes to them.
WITH old AS MATERIALIZED (
    SELECT id
      FROM error_group
     WHERE count = 0
       AND note = ''
       AND COALESCE(last_seen, '-infinity') < %(before)s::timestamptz
       FOR UPDATE SKIP LOCKED
)
DELETE FROM error_group
 WHERE id = ANY (ARRAY(SELECT id FROM old))
RETURNING id
