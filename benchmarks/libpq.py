"""Where a database is, as libpq's programs are told without anybody reading the password."""

from psycopg.conninfo import conninfo_to_dict

NAMES = {
    "host": "PGHOST",
    "port": "PGPORT",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "dbname": "PGDATABASE",
}


def environment(url: str) -> dict[str, str]:
    return {NAMES[name]: str(value) for name, value in conninfo_to_dict(url).items()}
