FROM python:3.11-slim AS packages
WORKDIR /build
COPY requirements.txt .
# Only the metrics job runs on Spark: what serves is spared most of a gigabyte.
RUN grep --invert-match --extended-regexp '^(pyspark|pyarrow|pandas|adbc-driver-[a-z]+)==' requirements.txt > service.txt \
    && python -m venv /venv \
    && /venv/bin/pip install --no-cache-dir --disable-pip-version-check --requirement service.txt

FROM python:3.11-slim AS runtime
RUN useradd --system --uid 10001 --no-create-home simplemq
COPY --from=packages /venv /venv
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1
WORKDIR /app

# `docker build --target spark .`: with Spark and a Java runtime, for `manage.py run_metrics`.
FROM runtime AS spark
# The distribution's Java gets its security fixes by a rebuild.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends default-jre-headless procps \
    && rm -rf /var/lib/apt/lists/*
COPY requirements.txt .
RUN pip install --no-cache-dir --disable-pip-version-check --requirement requirements.txt
COPY . .
# A volume that is mounted here belongs to whom this belongs to.
RUN install --directory --owner=10001 /lake
USER 10001
CMD ["python", "manage.py", "run_metrics", "--every", "60s"]

# The last one is what `docker build .` makes: the service.
FROM runtime
ENV SIMPLEMQ_BIND=0.0.0.0:8000 \
    SIMPLEMQ_STATIC_ROOT=/app/staticfiles
COPY . .
# Collecting needs no database and no real secret: these values exist for this one step.
RUN DATABASE_URL=postgresql://nobody@nowhere/none \
    SIMPLEMQ_SECRET_KEY=unused SIMPLEMQ_KEY_ENCRYPTION_SECRETS=unused \
    python manage.py collectstatic --noinput --verbosity=0
USER 10001
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
CMD ["gunicorn", "--config", "simplemq/gunicorn_conf.py", "simplemq.wsgi"]
