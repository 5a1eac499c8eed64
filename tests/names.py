#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""names.py FOLDER: each type outside of unnamed namespaces is defined once. Of two structs with one name in one namespace the
linker keeps one destructor for both, and no compiler says so."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path

TYPE = re.compile(r"(?:struct|class|union)\s+(\w+)(?:\s+final)?\s*(?::[^:;{][^;{]*)?\{")
OPENED = re.compile(r"namespace\s*([\w:]*)\s*\{")


def definitions(text: str) -> list[str]:
    """The qualified names of the types that a formatted source defines: nothing at namespace level is indented."""
    spaces: list[str] = []
    found = []
    for line in text.splitlines():
        if opened := OPENED.match(line):
            spaces.append(opened[1])
        elif line.startswith("}  // namespace"):
            spaces.pop()
        elif (defined := TYPE.match(line)) and "" not in spaces:
            found.append("::".join([*spaces, defined[1]]))
    return found


def repeated(files: dict[str, str]) -> dict[str, list[str]]:
    """Names with more than one definition, and the files."""
    places = defaultdict(list)
    for file, text in files.items():
        for name in definitions(text):
            places[name].append(file)
    return {name: where for name, where in places.items() if len(where) > 1}


def self_test() -> None:
    one = "namespace a {\nstruct X {\n};\nclass Y final : public Z {\n};\n}  // namespace a\n"
    hidden = "namespace a {\nnamespace {\nstruct X {\n};\n}  // namespace\n}  // namespace a\n"
    nested = "namespace a {\nstruct X::Inner {\n};\nstruct W;\n}  // namespace a\n"
    assert repeated({"1": one, "2": hidden, "3": nested}) == {}
    assert repeated({"1": one, "2": one}) == {"a::X": ["1", "2"], "a::Y": ["1", "2"]}


def main(folder: Path) -> int:
    self_test()
    files = {str(path): path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.[ch]pp"))}
    assert sum(len(definitions(text)) for text in files.values()) > 100, "the sources are formatted in another way"
    wrong = repeated(files)
    for name, where in wrong.items():
        print(f"{name} is defined in {' and in '.join(where)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
