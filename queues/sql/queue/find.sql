-- A team's queue by its public id: every call that names a queue begins here. Locks nothing.
SELECT *
  FROM queue
 WHERE uid = %(uid)s::uuid
   AND team_id = %(team_id)s::bigint
   AND deleted_at IS NULL
