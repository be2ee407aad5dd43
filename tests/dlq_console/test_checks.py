import pytest
from django.core.checks import run_checks


def found() -> set[str]:
    ids = {message.id for message in run_checks()}
    return {name for name in ids if name.startswith(("dlq_console.", "axes."))} - {"axes.W002"}


def test_it_finds_nothing_wrong_with_our_settings():
    assert found() == set()


def test_it_warns_of_a_proxy_that_hides_everybody(settings):
    settings.SIMPLEMQ_HTTPS = True
    assert found() == {"dlq_console.W001"}
    settings.SIMPLEMQ_TRUSTED_PROXIES = 1
    assert found() == set()


@pytest.mark.parametrize(("idle", "whole"), [(0, 43_200), (-1, 43_200), (60, 43_200), (3_600, 3_599)])
def test_it_refuses_sessions_that_nobody_could_work_in(settings, idle, whole):
    settings.SIMPLEMQ_SESSION_IDLE_SECONDS = idle
    settings.SIMPLEMQ_SESSION_ABSOLUTE_SECONDS = whole
    assert found() == {"dlq_console.E001"}
