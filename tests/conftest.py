from collections.abc import Iterator

import pytest
from django.db import connection

END_OTHERS = """
    SELECT pg_terminate_backend(pid)
      FROM pg_stat_activity
     WHERE datname = current_database()
       AND pid <> pg_backend_pid()
"""


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker) -> Iterator[None]:
    """A process that a test has stopped may not have hung up yet: the database goes nevertheless."""
    yield
    connection.close()  # a test may have had it ended
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute(END_OTHERS)
