#!/usr/bin/env python3
"""How long `ptxguard check` takes to read every native module of a large Python environment.

    sh tools/dev/without-cuda.sh python3 tests/bench/bench_environment.py --ptxguard build/release/bin/ptxguard \\
        --site SITE [--site SITE ...] [--packages 400] [--modules 1500] [--runs 11]

Each SITE is a site-packages folder with torch and other packages (sets that tests/real/parts.py makes); they are linked
into one environment, filled up with packages whose modules are links to a library of this Python. The second row is the
same environment without the modules. It only prints and never fails for being slow.
"""
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import argparse
import sysconfig
import tempfile
from pathlib import Path

from bench_check import Row, print_rows
from bench_frameworks import environment, link


def modules_of(site: Path) -> list[Path]:
    return [path for path in site.rglob("*.so*") if path.is_file()]


def fill(site: Path, source: Path, missing: int) -> None:
    """Adds modules to the small packages that environment() made, and to their records."""
    packages = sorted(site.glob("package_*.dist-info"))
    for number in range(max(0, missing)):
        info = packages[number % len(packages)]
        name = f"{info.name.split('-')[0]}/_module_{number}.abi3.so"
        link(source, site / name)
        with open(info / "RECORD", "a") as record:
            record.write(f"{name},sha256=x,{source.stat().st_size}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxguard", required=True, type=Path)
    parser.add_argument("--site", required=True, type=Path, action="append")
    parser.add_argument("--packages", type=int, default=400)
    parser.add_argument("--modules", type=int, default=1500)
    parser.add_argument("--runs", type=int, default=11)
    options = parser.parse_args()
    source = next(Path(sysconfig.get_path("stdlib"), "lib-dynload").resolve().glob("_decimal*.so"))
    with tempfile.TemporaryDirectory(prefix="ptxguard-bench-") as folder:
        bare = environment(Path(folder, "bare"), options.site, options.packages)
        full = environment(Path(folder, "full"), options.site, options.packages)
        site = full / "lib/python3.11/site-packages"
        fill(site, source, options.modules - len(modules_of(site)))
        modules = modules_of(site)
        print(f"{len(list(site.glob('*.dist-info')))} packages, {len(modules)} native modules, "
              f"{sum(path.stat().st_size for path in modules) / 1e9:.1f} GB")
        command = [str(options.ptxguard.resolve()), "check", "--isolated", "--probe", "off", "--fail-on", "never", "--format", "json"]
        env = {"PATH": "/usr/bin:/bin", "HOME": folder, "XDG_CACHE_HOME": f"{folder}/cache"}
        rows = {"check": Row([[*command, "--python", str(full)]], env=env),
                "check, small packages without modules": Row([[*command, "--python", str(bare)]], env=env)}
        for run in range(options.runs + 1):
            for row in rows.values():
                row.measure(Path(folder), keep=run > 0)
        print_rows(rows)


if __name__ == "__main__":
    main()
