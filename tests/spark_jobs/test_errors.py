from spark_jobs.errors import cause_in

FROM_JAVA = """An error occurred while calling None.org.apache.spark.api.java.JavaSparkContext.
: org.apache.spark.SparkException: External scheduler cannot be instantiated
\tat org.apache.spark.SparkContext$.createTaskScheduler(SparkContext.scala:3241)
Caused by: java.net.ConnectException: Connection refused: /127.0.0.1:1
\t... 18 more
"""
FROM_A_WORKER = """Job aborted due to stage failure: Task 0 in stage 1.0 failed 1 times
Traceback (most recent call last):
  File "postgres.py", line 51, in read
adbc_driver_manager.OperationalError: IO: [libpq] the connection was closed
"""


def test_the_cause_is_the_last_exception_that_is_named():
    assert cause_in(FROM_JAVA) == "Connection refused: /127.0.0.1:1"
    assert cause_in(FROM_A_WORKER) == "IO: [libpq] the connection was closed"


def test_without_any_it_is_the_first_line():
    assert cause_in("[JAVA_GATEWAY_EXITED] Java ended.\nand more") == "[JAVA_GATEWAY_EXITED] Java ended."
