"""Reads a script of curl commands as a shell would, and makes the calls."""

import shlex
from typing import Any, NamedTuple

import httpx


class Call(NamedTuple):
    method: str
    url: str
    headers: dict[str, str]
    body: str | None

    def make(self) -> Any:
        answer = httpx.request(self.method, self.url, headers=self.headers, content=self.body)
        assert answer.is_success, answer.text
        return answer.json()


def curl_calls(text: str, **environment: str) -> list[Call]:
    """What a shell would have curl do: the variables of the script in its double quotes, and its options."""
    calls = []
    for line in text.replace("\\\n", " ").split("\n"):
        if line.startswith("export "):
            name, _, value = line.removeprefix("export ").partition("=")
            environment[name] = value.strip("'")
        elif line.strip().startswith("curl "):
            for name, value in environment.items():
                line = line.replace(f"${name}", value)
            calls.append(_call(shlex.split(line)))
    return calls


def _call(words: list[str]) -> Call:
    given: dict[str, list[str]] = {"-X": [], "-H": [], "-d": [], "": []}
    rest = iter(words[1:])
    for word in rest:
        if word in given:
            given[word].append(next(rest))
        elif not word.startswith("-"):
            given[""].append(word)
    headers = dict(header.split(": ", 1) for header in given["-H"])
    return Call((given["-X"] or ["GET"])[0], given[""][0], headers, (given["-d"] or [None])[0])
