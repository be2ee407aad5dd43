"""`make run`, or `python -m simplemq.serve`: the whole service in one command, until Ctrl-C."""

import os

from simplemq.errors import one_sentence_for_people
from simplemq.stop_signal import StopRequested, StopSignal


def main() -> None:
    stop = StopSignal()
    stop.install()
    # Imported late: it takes a moment, in which Ctrl-C must already be ours.
    import environ

    from simplemq.serve_options import BASE_DIR, Options
    from simplemq.service import Service, say

    with one_sentence_for_people():
        environ.Env.read_env(BASE_DIR / ".env")
        try:
            Service(Options.from_environment(os.environ), stop).run()
        except StopRequested:
            stop.ignore()
            say("Stopped.")


if __name__ == "__main__":
    main()
