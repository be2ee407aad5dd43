-- Whether a day of the log is in a lake just as it is here. Reads its rows once more if it is noted as archived:
-- whatever came to it afterwards keeps it from being dropped. Locks nothing.
SELECT EXISTS (
           SELECT
             FROM archived_day AS archived
            CROSS JOIN LATERAL message_log_digest(archived.day) AS digest
            WHERE archived.lake = %(lake)s::text
              AND archived.day = %(day)s::date
              AND (archived.rows, archived.checksum) = (digest.rows, digest.checksum)
       ) AS yes
