"""Fail if a known advisory concerns a version of a dependency that is installed.

python .ci/advisories.py

The database is asked once for all packages that sdfbridge needs, its extras included. Where it
cannot be reached, that is printed, and the status is 0. `allowed_advisories.txt` lists the
advisories that do not concern us, each with the reason.
"""

import json
import re
import sys
import urllib.request
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

DATABASE = "https://api.osv.dev/v1/querybatch"
ALLOWED = Path(__file__).with_name("allowed_advisories.txt")
TIMEOUT = 30.0
"""Longest wait for the database [s]."""
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")


def needed(package: str) -> Iterator[tuple[str, str]]:
    """Yield the installed packages that a package needs, itself included, with their versions."""
    seen: set[str] = set()
    pending = [package]
    while pending:
        name = pending.pop()
        plain = re.sub(r"[-_.]+", "-", name).lower()
        if plain in seen:
            continue
        seen.add(plain)
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        yield plain, found.version
        words = [_NAME.match(word) for word in found.requires or ()]
        pending += [match[0] for match in words if match]


def advisories(packages: list[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the identifiers of the advisories about packages, by name and version.

    Raises:
        OSError: if the database cannot be reached.
    """
    queries = [
        {"package": {"name": name, "ecosystem": "PyPI"}, "version": version}
        for name, version in packages
    ]
    body = json.dumps({"queries": queries}).encode()
    request = urllib.request.Request(DATABASE, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
        results = json.load(answer)["results"]
    found = zip(packages, results, strict=True)
    return {
        f"{name} {version}": [entry["id"] for entry in result["vulns"]]
        for (name, version), result in found
        if result.get("vulns")
    }


def main() -> int:
    """Print the advisories; the exit status states whether all are allowed."""
    packages = [entry for entry in needed("sdfbridge") if entry[0] != "sdfbridge"]
    try:
        found = advisories(packages)
    except OSError as error:
        print(f"the database of advisories cannot be reached: {error}")
        return 0
    lines = ALLOWED.read_text(encoding="utf-8").splitlines()
    allowed = {line.split()[0] for line in lines if line.strip() and not line.startswith("#")}
    refused = 0
    for package, identifiers in found.items():
        for identifier in identifiers:
            refused += identifier not in allowed
            print(f"{package}: {identifier}{'' if identifier in allowed else ' (not allowed)'}")
    print(f"{len(packages)} packages, {refused} advisories that are not allowed")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
