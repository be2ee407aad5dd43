"""Database, migrations, demo credentials, web server and maintenance, started and stopped in order.

Every child runs in a session of its own, so that only this process hears Ctrl-C. PostgreSQL goes last.
"""

import contextlib
import http.client
import os
import secrets
import shutil
import signal
import sys
import time

import psycopg

from queues.management import env_file
from simplemq import processes
from simplemq.children import Essential, Restarted
from simplemq.embedded_postgres import EmbeddedPostgres
from simplemq.errors import CannotStart
from simplemq.serve_options import BASE_DIR, Options
from simplemq.static_assets import collect_if_changed
from simplemq.stop_signal import StopSignal

SECRETS = ("SIMPLEMQ_SECRET_KEY", "SIMPLEMQ_KEY_ENCRYPTION_SECRETS")
ANSWER_SECONDS = 60
WEB_STOP_SECONDS = 35  # longer than gunicorn's own graceful_timeout
MAINTENANCE_STOP_SECONDS = 10


def say(text: str) -> None:
    # Whoever read our output may be gone, which must not keep us from stopping the children.
    with contextlib.suppress(OSError):
        print(text, flush=True)


class Service:
    def __init__(self, options: Options, stop: StopSignal) -> None:
        self.options = options
        self.stop = stop
        self.static = options.data_dir / "static"
        self.credentials = options.data_dir / "dev.env"
        self.children: list[Essential | Restarted] = []
        self.env: dict[str, str] = {}

    def run(self) -> None:
        self.options.check_port()
        self.options.make_data_dir()
        with contextlib.ExitStack() as stack:
            self._make_environment(self._start_database(stack), stack)
            self._prepare()
            self._start_maintenance(stack)
            self._start_web(stack)
            self._wait_for_an_answer()
            self._greet()
            while True:
                self._tend()

    def _start_database(self, stack: contextlib.ExitStack) -> str:
        if self.options.database_url:
            _check_connection(self.options.database_url)
            return self.options.database_url
        say("Starting PostgreSQL …")
        server = EmbeddedPostgres(self.options.data_dir / "postgres", heartbeat=self.stop.check)
        if server.placement.remark:
            say(server.placement.remark)
        stack.enter_context(server)
        self.children.append(Essential("PostgreSQL", server.exit_code))
        return server.url

    def _make_environment(self, database_url: str, stack: contextlib.ExitStack) -> None:
        """Also kept in a file while we run, for `make manage`."""
        added = {
            "DATABASE_URL": database_url,
            "SIMPLEMQ_STATIC_ROOT": str(self.static),
            **self._secrets(),
        }
        self.env = {**os.environ, **added, "SIMPLEMQ_BIND": self.options.bind}
        path = self.options.data_dir / "service.env"
        env_file.write(path, added)
        stack.callback(path.unlink, missing_ok=True)

    def _secrets(self) -> dict[str, str]:
        """Given ones win; others are made once and kept, or a restart would void every key and login."""
        path = self.options.data_dir / "secrets.env"
        kept = {name: secrets.token_urlsafe(48) for name in SECRETS} | env_file.read(path)
        env_file.write(path, kept)
        return {name: os.environ.get(name) or kept[name] for name in SECRETS}

    def _prepare(self) -> None:
        say("Preparing the database …")
        quietly = ("--noinput", "--verbosity=0")
        self._manage("migrate", *quietly)
        collect_if_changed(self.static, lambda: self._manage("collectstatic", *quietly))
        self._manage("bootstrap_demo", "--credentials", self.credentials, "--endpoint", self.options.endpoint)

    def _manage(self, command: str, *words: processes.Word) -> None:
        if processes.finish(self._spawn_manage(command, *words), self.stop.check) != 0:
            raise CannotStart(f"`manage.py {command}` failed; what it said is above.")

    def _spawn_manage(self, *words: processes.Word) -> processes.Process:
        return processes.spawn([sys.executable, BASE_DIR / "manage.py", *words], env=self.env)

    def _start_maintenance(self, stack: contextlib.ExitStack) -> None:
        maintenance = Restarted("Maintenance", lambda: self._spawn_manage("run_maintenance"), say)
        stack.callback(maintenance.stop, MAINTENANCE_STOP_SECONDS)
        self.children.append(maintenance)

    def _start_web(self, stack: contextlib.ExitStack) -> None:
        conf = BASE_DIR / "simplemq" / "gunicorn_conf.py"
        words: list[processes.Word] = ["--chdir", BASE_DIR, "--config", conf, "simplemq.wsgi"]
        env = {**self.env, "PROMETHEUS_MULTIPROC_DIR": self._empty_metrics_dir()}
        # Killed without us, there is no database to finish anything with: INT, not a graceful TERM.
        web = processes.spawn([sys.executable, "-m", "gunicorn", *words], death_signal="INT", env=env)
        stack.callback(self._stop_web, web)
        self.children.append(Essential("gunicorn", web.poll))

    def _empty_metrics_dir(self) -> str:
        """Ours rather than gunicorn's own choice, which a kill would leave behind in /tmp."""
        directory = self.options.data_dir / "metrics"
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir()
        return str(directory)

    def _stop_web(self, web: processes.Process) -> None:
        say("Finishing open requests (Ctrl-C again to drop them) …")
        processes.stop(web, signal.SIGTERM, WEB_STOP_SECONDS, heartbeat=lambda: self._hurry(web))
        processes.kill_group(web)  # workers whose master was killed are still on their way out

    def _hurry(self, web: processes.Process) -> None:
        if self.stop.hurry:
            processes.kill_group(web)

    def _wait_for_an_answer(self) -> None:
        deadline = time.monotonic() + ANSWER_SECONDS
        while not _answers(self.options):
            self._tend()
            if time.monotonic() > deadline:
                raise CannotStart(f"gunicorn does not answer on {self.options.bind}.")

    def _tend(self) -> None:
        self.stop.check()
        for child in self.children:
            child.tend()
        time.sleep(processes.POLL_SECONDS)

    def _greet(self) -> None:
        known, endpoint = env_file.read(self.credentials), self.options.endpoint
        say(f"\nSimpleMQ answers on {endpoint}")
        say(f"  console        {endpoint}/console/")
        say(f"  documentation  {endpoint}/api/docs/")
        say(f"  administration {endpoint}/admin/")
        say(f"  log in as      {known['SIMPLEMQ_ADMIN_USER']} / {known['SIMPLEMQ_ADMIN_PASSWORD']}")
        say(f"  API key        {known['SIMPLEMQ_API_KEY']}")
        say(f"  in a shell     set -a; . {self.credentials}; set +a")
        say("Ctrl-C stops it.\n")


def _check_connection(url: str) -> None:
    try:
        psycopg.connect(url, connect_timeout=5).close()
    except psycopg.Error as problem:
        reason = str(problem).splitlines()[0]
        raise CannotStart(f"cannot reach the PostgreSQL that DATABASE_URL names: {reason}") from None


def _answers(options: Options) -> bool:
    """Listening is not enough: the port is open before a worker has loaded the code."""
    connection = http.client.HTTPConnection(options.host, options.port, timeout=2)
    try:
        connection.request("GET", "/healthz")
        connection.getresponse()
    except OSError:
        return False
    finally:
        connection.close()
    return True
