class CannotMeasure(Exception):
    """Something the benchmark relies on did not work; the text says what."""
