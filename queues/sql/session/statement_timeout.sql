-- Let no statement of this transaction run longer than this from now on; answers what held before.
-- Locks nothing.
SELECT current_setting('statement_timeout') AS before,
       set_config('statement_timeout', %(timeout)s::text, true)
