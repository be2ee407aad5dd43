"""A demo that looks like a working day; `manage.py seed_demo` fills it."""
