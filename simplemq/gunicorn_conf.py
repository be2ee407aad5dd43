"""How gunicorn serves SimpleMQ."""

import os

bind = os.environ.get("SIMPLEMQ_BIND") or f"127.0.0.1:{os.environ.get('PORT', '8000')}"
workers = int(os.environ.get("WEB_CONCURRENCY", "2"))
worker_class = "gevent"
# Longer than the longest long poll (20 s), so that a restart cuts none short.
graceful_timeout = 30
accesslog = None
loglevel = "warning"
# A second way to steer the server that nobody here uses, shared by every gunicorn of the user.
control_socket_disable = True
