#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lays real NVIDIA parts from package registries into folders, for tests. See README.md.

    parts.py list
    parts.py lay NAME [NAME ...] [--to DIR] [--jobs N]
    parts.py drop                             remove all sets and downloads from the cache
    parts.py path NAME [--to DIR]
    parts.py trees FILE [NAME ...] --to DIR   lay the trees that FILE describes, of links to laid sets

Exit codes: 0 done; 1 a mistake (in a recipe, in the call), or `path` of a set that is not laid out;
77 a part cannot be fetched here and now, which ctest reports as "skipped" (SKIP_RETURN_CODE).
"""

from __future__ import annotations

import argparse
import multiprocessing
import shutil
import sys
from pathlib import Path

# So that it can also be imported by its path from anywhere.
sys.path.insert(0, str(Path(__file__).resolve().parent))

from partslib import (  # noqa: E402
    PartsError,
    Recipe,
    Unavailable,
    cache_folder,
    default_folder,
    info,
    is_laid,
    lay,
    lay_trees,
    load_recipes,
    prune,
)

__all__ = ["PartsError", "Recipe", "Unavailable", "info", "lay", "lay_trees", "load_recipes", "main", "prune"]

EXIT_MISTAKE = 1
EXIT_SKIP = 77


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="lays real NVIDIA parts into folders, for tests")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="the sets there are")
    laying = commands.add_parser("lay", help="lay sets and print where they are")
    laying.add_argument("names", nargs="+", metavar="NAME")
    laying.add_argument("--jobs", type=int, default=1, metavar="N", help="sets that are laid at a time")
    commands.add_parser("drop", help="remove all sets and downloads from the cache")
    planting = commands.add_parser("trees", help="lay trees for --root from laid sets")
    planting.add_argument("file", type=Path)
    planting.add_argument("names", nargs="*", metavar="NAME")
    planting.add_argument("--to", type=Path, metavar="DIR", required=True, help="holds one folder per tree")
    asking = commands.add_parser("path", help="print where a set is, if it is laid")
    asking.add_argument("names", nargs=1, metavar="NAME")
    for command in (laying, asking):
        command.add_argument(
            "--to",
            type=Path,
            metavar="DIR",
            help="holds one folder per set; default: $PTXGUARD_PARTS_DIR, else in the cache",
        )
    options = parser.parse_args(arguments)
    try:
        recipes = load_recipes()
        if options.command == "list":
            for name, recipe in recipes.items():
                print(f"{name:28} {recipe.about}")
            return 0
        if options.command == "drop":
            shutil.rmtree(cache_folder(), ignore_errors=True)
            cache_folder().mkdir(parents=True)
            return 0
        if options.command == "trees":
            return _trees(options.file, options.names, options.to.absolute())
        for name in options.names:
            if name not in recipes:
                raise PartsError(f"no recipe {name!r}; 'list' shows those there are")
        to = options.to.absolute() if options.to else default_folder()
        if options.command == "path":
            return _path(recipes[options.names[0]], to)
        return _lay(options.names, to, options.jobs)
    except PartsError as error:
        print(f"parts: {error}", file=sys.stderr)
        return EXIT_MISTAKE


def _path(recipe: Recipe, to: Path) -> int:
    if not is_laid(recipe, to / recipe.name):
        print(f"parts: {recipe.name} is not laid in {to}", file=sys.stderr)
        return EXIT_MISTAKE
    print(to / recipe.name)
    return 0


def _trees(file: Path, names: list[str], to: Path) -> int:
    try:
        for path in lay_trees(file, names, to, default_folder()):
            print(path, flush=True)
    except Unavailable as error:
        print(f"parts: skip: {error.reason}", file=sys.stderr)
        return EXIT_SKIP
    return 0


def _lay(names: list[str], to: Path, jobs: int) -> int:
    """Lays out everything that can be fetched: one missing set does not prevent the next."""
    tasks = [(name, to) for name in names]
    if jobs == 1 or len(names) == 1:
        return max(map(_lay_one, tasks))
    with multiprocessing.Pool(jobs) as pool:
        return max(pool.imap_unordered(_lay_one, tasks))


def _lay_one(task: tuple[str, Path]) -> int:
    name, to = task
    try:
        print(lay(name, to), flush=True)
        return 0
    except Unavailable as error:
        print(f"parts: skip: {name}: {error.reason}", file=sys.stderr)
        return EXIT_SKIP


if __name__ == "__main__":
    sys.exit(main())
