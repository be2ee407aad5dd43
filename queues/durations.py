"""Lengths of time as people read them."""

UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))
LONGEST_IN_SECONDS = 120  # "90 s" is read faster than "1 min 30 s"


def in_words(seconds: float, parts: int = 2) -> str:
    """The largest units that say something: "90 s", "1 h 30 min", "4 d"."""
    if seconds < 1:
        return "< 1 s" if seconds > 0 else "0 s"
    left = int(seconds)
    if left <= LONGEST_IN_SECONDS and parts > 1:
        return f"{left} s"
    words: list[str] = []
    for length, unit in UNITS:
        amount, left = divmod(left, length)
        if amount:
            words.append(f"{amount} {unit}")
        if (words and not amount) or len(words) == parts:
            break
    return " ".join(words)


def precisely(seconds: float) -> str:
    """The same with what is below a second: "40 ms", "2.5 s"."""
    if 0 < seconds < 1:
        return f"{max(round(seconds * 1000), 1)} ms"
    is_broken = seconds < 10 and seconds != int(seconds)
    return f"{seconds:.1f}".removesuffix(".0") + " s" if is_broken else in_words(seconds)
