"""What gunicorn serves."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "simplemq.settings")
application = get_wsgi_application()

from queues import tallies  # noqa: E402  # models can be imported only now

tallies.flush_regularly()
