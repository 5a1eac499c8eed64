#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs plans that ptxguard prints, for real. See README.md.

    carry_out_plans.py --ptxguard EXE          a few plans, as in CI
    carry_out_plans.py --ptxguard EXE --all    every one in CASES
    carry_out_plans.py --ptxguard EXE NAME...  those cases
    carry_out_plans.py --whole ...             with the wheels as they are on the index

The command text of a plan is run as printed in a new virtual environment, by its pip or by uv. Then
`ptxguard check` must pass on that environment with the same driver and GPU. The wheels are those that uv
resolves against the real index; files of 4 MiB and more in them keep only their beginning (`hollow_wheel`),
so that a set of 3 GB needs 100 MB from the network. An installed set is deleted before another one. A hollow library has
no RUNPATH: if the machine has a cuDNN or a toolkit in ld.so.cache, hide it (tools/dev/without-cuda.sh) or use
`--whole`, which downloads gigabytes.

Exit codes: 0 all passed; 1 a plan does not work; 77 nothing could be downloaded.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from partslib import PartsError, Unavailable, hollow_wheel, pip  # noqa: E402
from partslib.index import open_url  # noqa: E402

PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


@dataclass(frozen=True)
class Case:
    """What `plan` is run with; with `installed`, `check` is run in an environment that has these packages."""

    name: str
    machine: tuple[str, ...]
    framework: str = ""
    by: str = "pip"
    installed: str = ""
    in_ci: bool = False


def on(driver: str, gpu: str = "") -> tuple[str, ...]:
    return ("--driver", driver, *(("--gpu", gpu) if gpu else ()))


# GPUs of every generation, each with a driver of its time.
MACHINES = (
    on("580.65.06", "GTX 1080"), on("535.104.05", "P100"), on("580.65.06", "V100"), on("550.54.14", "T4"), on("535.104.05", "A100"),
    on("570.86.10", "L40S"), on("550.54.14", "H100"), on("580.65.06", "B200"), on("590.44.01", "RTX 5090"), on("580.95.05", "GB10"),
    on("540.4.0", "Orin"), on("535.104.05"),
)

CASES = (
    Case("torch-for-580", on("580.65.06", "A100"), "torch==2.11.0"),
    Case("torch-newest", on("590.44.01", "H100"), "torch"),
    Case("torch-for-570", on("570.86.10", "RTX 5090"), "torch==2.8.0+cu128"),
    Case("torch-for-535", on("535.104.05", "A100"), "torch==2.5.1"),
    Case("torch-for-525", on("525.147.05", "V100"), "torch==2.3.1"),
    Case("torch-in-uv", on("535.104.05", "RTX 4090"), "torch==2.7.1+cu126", by="uv"),
    Case("torch-from-its-index", on("535.104.05", "A100"), "torch"),
    Case("tensorflow-for-535", on("535.104.05", "A100"), "tensorflow"),
    Case("tensorflow-in-uv", on("550.54.14", "H100"), "tensorflow==2.18.0", by="uv"),
    Case("jax-for-535", on("535.104.05", "A100"), "jax"),
    Case("jax-in-uv", on("550.54.14"), "jax==0.6.0", by="uv"),
    Case("cupy-for-535", on("535.104.05"), "cupy", in_ci=True),
    Case("cupy-for-580", on("580.65.06"), "cupy", by="uv"),
    Case("onnxruntime-for-535", on("535.104.05"), "onnxruntime-gpu"),
    Case("onnxruntime-for-580", on("580.65.06"), "onnxruntime-gpu", by="uv"),
    Case("onnxruntime-on-hopper", on("550.54.14", "H100"), "onnxruntime-gpu"),
    Case("onnxruntime-on-blackwell", on("580.65.06", "B200"), "onnxruntime-gpu"),
    Case("installed-torch-too-new", on("535.104.05", "A100"), installed="torch==2.11.0"),
    Case("installed-torch-too-old", on("580.65.06", "RTX 5090"), installed="torch==2.5.1"),
    Case("installed-tensorflow-on-470", on("470.256.02", "A100"), installed="tensorflow[and-cuda]==2.18.0"),
    Case("installed-jax-on-535", on("535.104.05", "A100"), installed="jax[cuda13]==0.9.2"),
    Case("installed-cupy-on-535", on("535.104.05"), installed="cupy-cuda13x[ctk]==14.0.0"),
    Case("installed-toolkit-mixed", (), installed="nvidia-cuda-nvcc==13.0.88", in_ci=True),
    *(
        Case(f"newest-{framework}-{machine[-1].replace(' ', '-')}", machine, framework)
        for framework in ("torch", "tensorflow", "jax", "onnxruntime-gpu", "cupy")
        for machine in MACHINES
    ),
)


class Failed(Exception):
    """A plan that does not work."""


@dataclass
class Bench:
    ptxguard: str
    folder: Path
    wheels: Path
    uv: Path
    whole: bool = False
    done: list[str] = field(default_factory=list)  # the commands that were run in the environment

    @property
    def venv(self) -> Path:
        return self.folder / "venv"

    def fresh(self, installed: str) -> Path:
        self.done = []
        venv = self.venv
        shutil.rmtree(venv, ignore_errors=True)
        run([sys.executable, "-m", "venv", str(venv)], {})
        if installed:
            self.install(venv, f"python3 -m pip install {installed}")
        return venv

    def environment(self, venv: Path) -> dict[str, str]:
        keep = {k: v for k, v in os.environ.items() if k.startswith("PIP_") or k in ("HOME", "LANG", "SSL_CERT_FILE")}
        path = f"{venv}/bin:{self.uv.parent}:/usr/bin:/bin"
        return {**keep, "PATH": path, "VIRTUAL_ENV": str(venv), "PIP_NO_INPUT": "1", "PIP_QUIET": "1", "PIP_RETRIES": "1",
                "XDG_CACHE_HOME": str(self.folder / "cache"), "UV_CACHE_DIR": str(self.folder / "uv")}

    def install(self, venv: Path, command: str) -> None:
        """Runs the command as it is, with a folder of hollow wheels in place of the index."""
        if self.whole:
            words = shlex.split(command)
            if "--index-url" in words:
                need_index(words[words.index("--index-url") + 1])
            index = {} if "--index-url" in command else {"UV_DEFAULT_INDEX": pip.index_urls()[0]}
            run(["sh", "-c", command], {**self.environment(venv), **index, "PIP_NO_COMPILE": "1", "PIP_NO_CACHE_DIR": "1", "UV_NO_CACHE": "1"})
            return
        self.fetch(command)
        offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.wheels), "PIP_NO_COMPILE": "1",
                   "UV_OFFLINE": "1", "UV_FIND_LINKS": str(self.wheels), "UV_LINK_MODE": "hardlink"}
        if command.startswith("uv "):
            offline["UV_NO_INDEX"] = "1"
        run(["sh", "-c", command], {**self.environment(venv), **offline})

    def fetch(self, command: str) -> None:
        """The wheels that this command needs, hollow. uv resolves from metadata; pip would fetch them completely."""
        words = shlex.split(command.partition(" install ")[2].partition(" && ")[0])
        index = words[words.index("--index-url") + 1] if "--index-url" in words else ""
        options = ["--no-deps"] if "--no-deps" in words else []
        wanted = [word for word in words if not word.startswith("-") and word != index]
        file = self.folder / "wanted.txt"
        file.write_text("\n".join(wanted) + "\n")
        resolve = [str(self.uv), "pip", "compile", "--quiet", "--no-header", "--no-annotate", "--python-version", PYTHON, *options, str(file)]
        with index_named(index):
            try:
                pins = run(resolve, {**os.environ, **({"UV_DEFAULT_INDEX": index} if index else {}), "UV_CACHE_DIR": str(self.folder / "uv")})
            except Failed as error:
                if any(text in str(error) for text in ("Failed to fetch", "error sending request", "dns error")):
                    raise Unavailable(f"no index for {' '.join(words)}") from error
                raise
            shutil.rmtree(self.wheels, ignore_errors=True)
            self.wheels.mkdir()
            for pin in pins.split():
                name, _, version = pin.partition("==")
                hollow_wheel(name, version, PYTHON, self.wheels)

    def ask(self, *arguments: str, venv: Path | None = None) -> dict:
        env = self.environment(venv) if venv else {"PATH": "/usr/bin:/bin"}
        done = subprocess.run([self.ptxguard, *arguments, "--isolated", "--format", "json"], env=env, capture_output=True, text=True, timeout=600, check=False)
        if done.returncode not in (0, 1):
            raise Failed(f"{arguments}: {done.stderr}")
        return json.loads(done.stdout)

    def check(self, case: Case, machine: tuple[str, ...], venv: Path) -> dict:
        build = ("--build", "--require", "toolkit") if not machine else ("--require", "framework")
        if not machine:
            site = next(venv.glob("lib/python3*/site-packages"))
            build += ("--toolkit", str(site / "nvidia/cu13"))
        return self.ask("check", "--python", str(venv / "bin/python"), *machine, *build, venv=venv)

    def carry_out(self, case: Case) -> tuple[list[str], list[str]]:
        """Each plan of the case; returns the commands, and why others could not be run."""
        if not case.installed:
            answer = self.ask("plan", "--os", "linux", "--python", PYTHON, "--framework", case.framework, *case.machine)
            lines = [line["text"] for line in answer["sets"][-1]["install"] if line["by"] == case.by]
            if not lines and answer["verdict"] == "unknown":
                return ["unknown: " + "; ".join(answer["sets"][-1]["unknown"])], []
            if not lines:
                raise Failed(f"no {case.by} line: {answer['sets'][-1]}")
            plans = [[{"kind": "command", "text": line}] for line in lines]
        else:
            answer = self.check(case, case.machine, self.fresh(case.installed))
            plans = [plan["steps"] for plan in answer["plan"]]
            if answer["verdict"] != "fail" or not plans:
                raise Failed(f"{answer['verdict']}, plans {plans}: {findings_text(answer)}")
        done, missing = [], []
        for number, steps in enumerate(plans):
            if case.installed and number or not case.installed and self.done != [step["text"] for step in steps]:
                self.fresh(case.installed)
            try:
                done.append(self.carry_out_one(case, steps, self.venv))
            except Unavailable as reason:
                missing.append(f"{' then '.join(step['text'] for step in steps)}: {reason}")
        if not done:
            raise Unavailable("; ".join(missing))
        return done, missing

    def carry_out_one(self, case: Case, steps: list[dict], venv: Path) -> str:
        machine = list(case.machine)
        for step in steps:
            if step["kind"] == "command":
                if step["text"] not in self.done:
                    self.install(venv, step["text"])
                    self.done.append(step["text"])
            elif step["text"].startswith("driver "):
                machine[machine.index("--driver") + 1] = step["text"].split()[1]
            else:
                raise Failed(f"neither a command nor a driver: {step['text']}")
        answer = self.check(case, tuple(machine), venv)
        if answer["verdict"] != "pass":
            raise Failed(f"{[step['text'] for step in steps]} leaves {answer['verdict']}: {findings_text(answer)}")
        return " then ".join(step["text"] for step in steps)


def need_index(url: str) -> None:
    try:
        open_url(url.rstrip("/") + "/", {}).close()
    except (OSError, http.client.HTTPException) as error:
        raise Unavailable(f"no index {url}") from error


def findings_text(report: dict) -> str:
    return "; ".join(f"{f['level']} {f['code']} {f['message']}" for f in report["findings"])


@contextlib.contextmanager
def index_named(url: str) -> Iterator[None]:
    """partslib reads its index from pip's configuration, which a variable overrides."""
    before = os.environ.get("PIP_INDEX_URL")
    if url:
        os.environ["PIP_INDEX_URL"] = url
        pip.settings.cache_clear()
        pip.index_urls.cache_clear()
    try:
        yield
    finally:
        if url:
            os.environ.pop("PIP_INDEX_URL")
            if before:
                os.environ["PIP_INDEX_URL"] = before
            pip.settings.cache_clear()
            pip.index_urls.cache_clear()


def get_uv(folder: Path) -> Path:
    """The uv of this machine, else one from the index."""
    found = shutil.which("uv")
    if found:
        return Path(found)
    try:
        run([sys.executable, "-m", "venv", str(folder)], {})
        run([str(folder / "bin/python"), "-m", "pip", "install", "--quiet", "uv"], {})
    except Failed as error:
        raise Unavailable("uv cannot be installed") from error
    return folder / "bin/uv"


def run(command: list[str], env: dict[str, str]) -> str:
    done = subprocess.run(command, env=env or None, capture_output=True, text=True, timeout=1800, check=False)
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def main() -> int:
    parser = argparse.ArgumentParser(description="carries out plans that ptxguard prints")
    parser.add_argument("--ptxguard", required=True)
    parser.add_argument("--all", action="store_true", help="every case, not only those of CI")
    parser.add_argument("--whole", action="store_true", help="whole wheels from the index: gigabytes")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    unknown = set(options.names) - {case.name for case in CASES}
    if unknown:
        parser.error(f"no case {', '.join(sorted(unknown))}")
    chosen = [c for c in CASES if c.name in options.names or (not options.names and (options.all or c.in_ci))]
    commands: set[str] = set()
    failed = missing = 0
    with tempfile.TemporaryDirectory(prefix="ptxguard-plans-") as tools, tempfile.TemporaryDirectory(prefix="ptxguard-plans-") as folder:
        try:
            uv = get_uv(Path(tools))
        except Unavailable as reason:
            print(f"skip: {reason}")
            return 77
        bench = Bench(options.ptxguard, Path(folder), Path(folder) / "wheels", uv, options.whole)
        for case in chosen:
            start = time.monotonic()
            try:
                done, left = bench.carry_out(case)
                commands.update(done)
                missing += len(left)
                result = " | ".join(["passes: " + one for one in done] + ["skipped: " + one for one in left])
            except Unavailable as reason:
                missing, result = missing + 1, f"skipped: {reason}"
            except (Failed, PartsError, subprocess.TimeoutExpired) as error:
                failed, result = failed + 1, f"FAILS: {error}"
            print(f"{case.name} ({time.monotonic() - start:.0f} s) {result}", flush=True)
    print(f"{len(commands)} different plans carried out and passed, {failed} failed, {missing} not available")
    return 1 if failed else 77 if not commands else 0


if __name__ == "__main__":
    sys.exit(main())
