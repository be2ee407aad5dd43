"""Every setting of the service, read from the environment once. `.env.example` lists the names."""

from datetime import timedelta
from pathlib import Path

import environ

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()
environ.Env.read_env(BASE_DIR / ".env")

# --- Secrets -----------------------------------------------------------------------------------
SECRET_KEY = env.str("SIMPLEMQ_SECRET_KEY")
SECRET_KEY_FALLBACKS = env.list("SIMPLEMQ_SECRET_KEY_FALLBACKS", default=[])
# API key secrets are encrypted at rest with the first of these; the others still decrypt.
SIMPLEMQ_KEY_ENCRYPTION_SECRETS = env.list("SIMPLEMQ_KEY_ENCRYPTION_SECRETS")

# --- The web -----------------------------------------------------------------------------------
DEBUG = False
# Probes on the machine itself always get in: a health check knows no other name.
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]", *env.list("SIMPLEMQ_ALLOWED_HOSTS", default=[])]
ROOT_URLCONF = "simplemq.urls"
WSGI_APPLICATION = "simplemq.wsgi.application"
APPEND_SLASH = False

# One switch for everything that only makes sense behind TLS.
SIMPLEMQ_HTTPS = env.bool("SIMPLEMQ_HTTPS", default=False)
SECURE_SSL_REDIRECT = SIMPLEMQ_HTTPS
SECURE_REDIRECT_EXEMPT = [r"^healthz/?$", r"^readyz/?$", r"^metrics/?$"]
SECURE_HSTS_SECONDS = 31_536_000 if SIMPLEMQ_HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SIMPLEMQ_HTTPS
SECURE_HSTS_PRELOAD = SIMPLEMQ_HTTPS
SESSION_COOKIE_SECURE = SIMPLEMQ_HTTPS
CSRF_COOKIE_SECURE = SIMPLEMQ_HTTPS
CSRF_COOKIE_HTTPONLY = True
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if SIMPLEMQ_HTTPS else None
X_FRAME_OPTIONS = "DENY"

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    }
}

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "axes",
    "django_htmx",
    "django_prometheus",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "queues",
    "dlq_console",
]

MIDDLEWARE = [
    "queues.api.middleware.RequestMetricsMiddleware",
    "queues.api.middleware.RequestIdMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "queues.api.middleware.PageCSPMiddleware",
    "queues.api.middleware.PageSessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "queues.api.middleware.PageAuthenticationMiddleware",
    "queues.api.middleware.PageMessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "dlq_console.middleware.PageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "dlq_console.context.console",
            ],
        },
    }
]

STATIC_URL = "static/"
STATIC_ROOT = env.str("SIMPLEMQ_STATIC_ROOT", default=str(BASE_DIR / "staticfiles"))
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

# --- PostgreSQL --------------------------------------------------------------------------------
DATABASES = {"default": env.db_url("DATABASE_URL", engine="django_prometheus.db.backends.postgresql")}
# Statistics of a table that fills and empties all day are always wrong. Scans without an order read every row
# of a queue before the first can be taken, so they are the last resort here; and a prepared statement is
# planned once, because its plan has to suit any queue.
PLANNER = "-c enable_seqscan=off -c enable_bitmapscan=off -c plan_cache_mode=force_generic_plan -c jit=off"
DATABASES["default"]["OPTIONS"] = {
    "options": PLANNER,
    # Django would switch prepared statements off. Only those that ask for it are prepared: see
    # queues/managers/statements.py
    "prepare_threshold": 1_000_000_000,
    **DATABASES["default"].get("OPTIONS", {}),
    "pool": {
        "min_size": env.int("SIMPLEMQ_DB_POOL_MIN", default=2),
        "max_size": env.int("SIMPLEMQ_DB_POOL_MAX", default=10),
        "timeout": env.float("SIMPLEMQ_DB_POOL_TIMEOUT", default=10),
    },
}
DATABASES["default"]["DISABLE_SERVER_SIDE_CURSORS"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- People ------------------------------------------------------------------------------------
LOGIN_URL = "/accounts/login/"
LOGIN_REDIRECT_URL = "/console/"
LOGOUT_REDIRECT_URL = LOGIN_URL
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",  # first: it refuses those who guess, whatever they guess now
    "django.contrib.auth.backends.ModelBackend",
]
# A session ends after so long without activity, and so long after the sign-in whatever happens.
SIMPLEMQ_SESSION_IDLE_SECONDS = env.int("SIMPLEMQ_SESSION_IDLE_SECONDS", default=3_600)
SIMPLEMQ_SESSION_ABSOLUTE_SECONDS = env.int("SIMPLEMQ_SESSION_ABSOLUTE_SECONDS", default=43_200)
SESSION_COOKIE_AGE = SIMPLEMQ_SESSION_ABSOLUTE_SECONDS
# How many proxies stand in front. Each appends its caller to X-Forwarded-For; the rest of it may be forged.
SIMPLEMQ_TRUSTED_PROXIES = env.int("SIMPLEMQ_TRUSTED_PROXIES", default=0)

# Guessing passwords: the limits are in dlq_console/throttle.py
AXES_HANDLER = "dlq_console.throttle.SignInHandler"
AXES_LOCKOUT_PARAMETERS = "dlq_console.throttle.counted_together"
AXES_CLIENT_IP_CALLABLE = "dlq_console.client_address.of"
AXES_FAILURE_LIMIT = 1  # of the limits there
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False  # the wait that the page names is the wait
AXES_DISABLE_ACCESS_LOG = True  # it would grow for ever
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False
AXES_SENSITIVE_PARAMETERS = ["username"]  # left out of the log: some type their password there
# W002 asks for the middleware of axes, which every API request would pass. Our sign-in view answers itself.
SILENCED_SYSTEM_CHECKS = ["axes.W002"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

# --- REST --------------------------------------------------------------------------------------
DATA_UPLOAD_MAX_MEMORY_SIZE = 8 * 1024 * 1024
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["queues.api.authentication.ApiKeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["queues.api.permissions.HasScope"],
    "DEFAULT_RENDERER_CLASSES": ["queues.api.renderers.CompactJSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["queues.api.parsers.StrictJSONParser"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "queues.api.negotiation.AlwaysJSON",
    "DEFAULT_METADATA_CLASS": None,
    "DEFAULT_SCHEMA_CLASS": "queues.api.schema.CallSchema",
    "EXCEPTION_HANDLER": "queues.api.problems.problem_response",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "SimpleMQ",
    "DESCRIPTION": "A message queue service on PostgreSQL.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "TAGS": [{"name": "queues"}, {"name": "messages"}, {"name": "self"}],
    "SERVE_AUTHENTICATION": [],
    "SORT_OPERATIONS": False,
    "SORT_OPERATION_PARAMETERS": False,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "PREPROCESSING_HOOKS": ["queues.api.schema.as_the_contract_writes_them"],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "queues.api.schema.with_closed_requests",
    ],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}
# With it, /metrics answers this Bearer token too; without, only callers on this machine.
SIMPLEMQ_METRICS_TOKEN = env.str("SIMPLEMQ_METRICS_TOKEN", default="")

# --- The queue service -------------------------------------------------------------------------
SIMPLEMQ_LOG_RETENTION_DAYS = env.int("SIMPLEMQ_LOG_RETENTION_DAYS", default=30)

# Where and with what `run_metrics` computes: a replica or a role that may only read, and a Spark master.
SIMPLEMQ_METRICS_SOURCE_URL = env.str("SIMPLEMQ_METRICS_SOURCE_URL", default="")
SIMPLEMQ_SPARK_MASTER = env.str("SIMPLEMQ_SPARK_MASTER", default="local[*]")
# Where Parquet is kept. With one, a day of the log is dropped only when it is there.
SIMPLEMQ_LAKE = env.str("SIMPLEMQ_LAKE", default="").rstrip("/")

# Fields whose name contains one of these words (without - and _) are masked in the console until revealed.
SIMPLEMQ_MASKED_FIELDS = env.list(
    "SIMPLEMQ_MASKED_FIELDS",
    default=[
        "password",
        "passwd",
        "secret",
        "token",
        "authorization",
        "apikey",
        "cardnumber",
        "cvv",
        "ssn",
        "iban",
    ],
)

# --- The rest ----------------------------------------------------------------------------------
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en-us"
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    # Every refused request would be a line, each 429 of a full queue too; the metrics count them.
    # Of sign-ins only what was refused.
    "loggers": {"django.request": {"level": "ERROR"}, "axes": {"level": "WARNING"}},
    "root": {"handlers": ["stderr"], "level": env.str("SIMPLEMQ_LOG_LEVEL", default="INFO")},
}
