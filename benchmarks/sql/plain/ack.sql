DELETE FROM bench_plain_message
 WHERE id = ANY (%(ids)s::bigint[])
   AND receipt = ANY (%(receipts)s::uuid[])
