import pytest

from tests import statistics


@pytest.fixture(autouse=True, scope="module")
def no_statistics_of_others(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock():
        statistics.forget()
