# Every section of docs/ promises something: a row names the sentence and the test that holds it, here or elsewhere. A sentence that is
# changed, a test that is renamed or a new section without a row fails.
# usage: promises.py PTXGUARD
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PTXGUARD = sys.argv.pop(1)
SHOWN = "tests/docs/shown_outputs.py: check_page"
HERE = "tests/docs/promises.py: "
UNIT = "tests/unit/"
# page -> sentence -> test
ROWS = {
    "README.md": {
        "runs each `sh` block of these pages and compares its output": SHOWN,
    },
    "ci.md": {
        "needs neither a GPU nor a driver": "tests/ways/test_ci.py: test_plain_step",
        "`lint` takes time proportional to the size of the recipes": UNIT + "commands/lint_scaling_test.cpp: twice as much of anything",
        "read up to the reported line, and the verdict is unknown": "tests/cli/lint_limit.cmake: unknown",
        "findings leave the exit code at 0": HERE + "test_formats_leave_the_exit_code",
        "is a test": "tests/ways/test_formats.py: test_junit",
        "one page for a browser or printer": "tests/ways/test_formats.py: test_html",
        "and ` [*]` if `lint --fix` repairs it": "tests/cli/lint_fix.cmake: --fix",
        "writes that format to a file; the text report still goes to the log": HERE + "test_output_keeps_the_text",
        "`--write FORMAT=FILE` (repeatable) adds others": HERE + "test_output_keeps_the_text",
        "every finding has a file and a line": "tests/cli/code_scanning.py: test_sarif",
        "with `--fix` it gets the repaired text": "tests/cli/cases/lint_stdin_fix: --fix",
        "`ptxguard generate problem-matcher` prints GitHub's problem matcher": "tests/cli/code_scanning.py: test_the_problem_matchers_read_the_lines",
        "`git apply -p0` and `patch -p0` apply it": HERE + "test_a_diff_is_applied",
        "command neither a terminal nor the CI system, in any format": UNIT + "commands/leaving_test.cpp: a stranger's recipes command nothing",
        "A diff with such a line cannot be applied, which stderr reports": UNIT + "commands/leaving_test.cpp: cannot be applied",
        "its outputs are `verdict`, `errors`, `warnings` and `report`": "tests/ways/test_ci.py: test_github",
        "a pull request cannot bring its own ptxguard": "tests/ways/test_ci.py: RUNNER_TEMP",
    },
    "configuration.md": {
        "reads the nearest of `.ptxguard.toml`, `ptxguard.toml` and `pyproject.toml`": UNIT + "commands/nearest_configuration_test.cpp: pyproject.toml",
        "The command line overrides the file": UNIT + "commands/settings_test.cpp: the command line overrides variables",
        "Keys are the names of options": HERE + "test_keys_are_the_names_of_options",
        "count for `check`, `inspect`, `plan`, `lint` and `explain --here`": HERE + "test_machines_of_a_configuration_count_everywhere",
        "`plan` takes them from a table": "tests/cli/cases/plan_nodes_configured: plan",
        "`3.14t` is the free-threaded one": "tests/cli/cases/plan_free_threaded: 3.14t",
        "without it the environment that is active counts": UNIT + "commands/plan_wish_test.cpp: environment",
        "packages that require a framework (`vllm`": "tests/cli/cases/plan_vllm: vllm",
        "A package with a release for each torch": "tests/cli/cases/plan_companion: fbgemm-gpu",
        "One that no table has is *unknown*": "tests/cli/cases/plan_beside_unlisted: tilelang",
        "several of them get builds that fit into one environment": "tests/cli/cases/plan_together: plan",
        "The answer is that a build runs, that none does, or *unknown*": "tests/cli/cases/plan_gpu_unknown: plan",
        "is unknown until `ptxguard check --build` has run where it is built": HERE + "test_a_compiled_package_is_unknown",
        "For Windows the commands are printed as PowerShell and cmd both read them": HERE + "test_commands_for_windows",
        "it says so and what to use instead": "tests/cli/cases/plan_windows_wsl2: tensorflow",
        "Every suppression needs a reason, which the report repeats": "tests/cli/cases/suppression_without_reason: --ignore",
        "`check` reports one that matches nothing": HERE + "test_a_suppression_that_matches_nothing",
        "for `lint`, by file": "tests/cli/cases/lint_per_file: lint",
        "at the end of the line or in a line above it": UNIT + "recipes/suppressions_test.cpp: a comment suppresses in its line",
        "only reads like one (no reason, another spelling) is reported": UNIT + "recipes/suppressions_test.cpp: a comment that reads like a suppression",
        "limits the report of `lint` to rules whose codes start with": UNIT + "commands/settings_test.cpp: rules are selected by prefixes",
        "leaves files out, also those that a hook names": UNIT + "commands/linting_test.cpp: what is excluded is not read",
        "sets the level from which the exit code is 1": HERE + "test_exit_codes",
        "cannot select others": UNIT + "commands/settings_test.cpp: a configuration that was only found cannot select programs",
        "run and load nothing": UNIT + "host/root_host_test.cpp: nothing in a tree is run",
        "A recipe does not choose which files `lint` reads, quotes or changes": UNIT + "recipes/allowed_files_test.cpp: links count as the file",
        "is reported as unknown at the line that refers to it": "tests/cli/lint_inside.cmake: unknown",
        "owner, mode, extended attributes and access lists stay": UNIT + "host/replace_posix_test.cpp: extended attributes and access lists stay",
        "if one cannot be written, no file is changed": UNIT + "commands/lint_write_test.cpp: if one file cannot be prepared, none is changed",
        "A killed run leaves every file whole": UNIT + "host/replace_posix_test.cpp: a killed run leaves the old file",
        "wrong usage, or the input is unreadable": HERE + "test_exit_codes",
    },
    "explain.md": {
        "It runs nothing and reads nothing but the log": "tests/layers.cmake: diagnose",
        "the lines say it": UNIT + "diagnose/diagnose_test.cpp: values of the log fill the command that decides",
        "The exit code is 1 if a cause is certain or likely, else 0": HERE + "test_exit_code_of_explain",
        "Lines that only repeat that something failed": UNIT + "diagnose/diagnose_test.cpp: lines that only repeat a failure say so",
        "fill the commands, and the tables judge them": UNIT + "diagnose/diagnose_test.cpp: the tables confirm what the log only suggests",
        "UTF-16 of PowerShell, colours, carriage returns": UNIT + "messages/log_text_test.cpp: UTF-16 is read in both orders",
        "the prefixes of GitHub, GitLab": UNIT + "messages/log_text_test.cpp: what CI systems, Docker, Ninja, pip and loggers put",
        "All formats of [ci.md](ci.md) work": "tests/cli/code_scanning.py: \"explain\": (\"explain\"",
        "in [JSON](json.md) the causes are `diagnoses`": HERE + "test_members_of_a_diagnosis",
        "`ptxguard explain PAGE` prints it": "tests/cli/cases/explain_error_page: explain",
        "`--here` also runs `ptxguard check`": UNIT + "commands/here_test.cpp: here",
        "sets them": "tests/cli/cases/explain_here_configured: --here",
        "explained once, however many sources fail by it": "tests/cli/run_program.cmake: explained(1",
        "output, colours, signals and exit code stay as they are": "tests/cli/run_program.cmake: exit",
        "the first 4 and the last 8 MB are explained": UNIT + "host/pass_through_test.cpp: the first and the last bytes are kept",
    },
    "fatbin.md": {
        "each entry was compared with the output of NVIDIA's `cuobjdump`": "tests/real/compare_inspect.py: cuobjdump",
        "A damaged fatbin is reported, and parsing continues with the next one": UNIT + "inspect/bad_input_test.cpp: a truncated library is reported and keeps what was read",
    },
    "gpu.md": {
        "H100": "tests/gpu/test_records.py: records",
    },
    "install.md": {
        "`pip install .` in a virtual environment": "tests/ways/test_wheel.py: test_source_distribution",
        "which builds wheels for all of these": "tests/docs/release_test.py: release.platforms()",
        "`find_package(CudaConsistent)` builds the program once per user": "tests/real/test_configure.py: test_build_trees_share_what_was_built",
        "It has no Python code and works with every Python 3": "tests/ways/test_wheel.py: test_oldest_and_newest_python",
        "a manual page and completions": "tests/ways/test_wheel.py: test_contents",
        "The program never uses the network": "tests/ways/test_wheel.py: test_no_network",
        "`ptxguard --cmake-dir` prints the folder of the CMake module": "tests/ways/test_wheel.py: --cmake-dir",
        "py -m pip install": "tests/windows/install_and_cmake.py: pip",
    },
    "json.md": {
        "prints its JSON schema": UNIT + "report/schema_test.cpp: schema",
        "Every command has `schema`, `tool`, `command`": HERE + "test_every_report_has_the_envelope",
        "a `fingerprint` that stays the same between runs and differs": HERE + "test_fingerprints",
        "`null` unless the build sets `PTXGUARD_RULE_PAGES`": HERE + "test_every_report_has_the_envelope",
        "replaces the characters from `at` to before `end_column`": "tests/cli/code_scanning.py: test_a_fix_is_a_replacement",
        "The drivers that do not accept the framework, and why": SHOWN,
        "joins the findings of two reports of one command by their fingerprints": "tests/cli/cases/compare_check: compare",
        "a job fails for what a change adds, and not for what was there before": "tests/cli/cases/compare_nothing_new: compare",
    },
    "quick-start-222.md": {
        "These steps need no GPU": SHOWN,
        "shows what each GPU would run": "tests/real/test_inspect.py: runs_on",
        "checks all libraries that PyTorch loads": "tests/real/test_frameworks.py: test_sets_without_their_packages",
        "The finding lists the fixes that work for this file and machine": "tests/cli/pasted_fixes.py: assert_fixed",
        "prints this before anything is compiled": "tests/real/test_examples.py: test_readme",
        "the result is measured by calling that driver's compiler": "tests/real/test_drivers.py: test_each_driver_refuses_with_its_own_words",
    },
    "quick-start-cluster.md": {
        "Everything here runs on a login node without a GPU": SHOWN,
        "The table has a row for each node type and a column for each build": "tests/cli/cases/plan_nodes: --node",
        "write the same for a wiki": "tests/cli/cases/plan_nodes_markdown: markdown",
        "Drivers and GPUs that are named apart are combined, each with each": "tests/cli/cases/plan_pairs: plan",
        "`--toolkit` can be repeated": "tests/real/test_matrix.py: --toolkit",
        "`matrix` measures which drivers compile the PTX": "tests/real/test_matrix.py: test_measured_cells_equal_the_predicted_ones",
        "Check a program or library against all three drivers": SHOWN,
        "nothing in it is run": UNIT + "host/root_host_test.cpp: nothing in a tree is run",
        "the log of slurmd has one line for each finding": "tests/ways/test_templates.py: test_cluster",
    },
    "quick-start-cmake.md": {
        "a test builds them": "tests/ways/test_templates.py: test_cuda_library",
        "Three moments decide": "tests/cmake/CMakeLists.txt: late_compilers",
        "The program behind the module, ptxguard, comes in seconds as a wheel": "tests/ways/test_templates.py: test_quick_start_in_an_empty_folder",
        "A project that compiles no CUDA is left alone": "tests/cmake/CMakeLists.txt: include_before_toolchain",
        "A toolkit that is too new for that driver now stops the configure": "tests/real/test_examples.py: test_readme",
        "The build fails if nothing in the library runs on one of the GPUs": "tests/cmake/CMakeLists.txt: check_target_fails",
        "annotates the line that causes a finding": "tests/ways/test_ci.py: test_github",
    },
    "quick-start-windows.md": {
        "Fixes are printed for PowerShell, with `--shell cmd` for cmd": "tests/cli/cases/check_shell_cmd: cmd",
        "GitHub builds both": "tests/docs/release_test.py: test_gives_what_the_quick_start_names",
        "both are the same program, without dependencies": "tests/docs/release_test.py: test_puts_programs_sboms_and_checksums_beside_the_wheels",
        "`ptxguard` says which DLL, which folders Windows searched for it, and where it is": "tests/windows/replay_stories.py: misspelt-entry",
        "TensorFlow 2.10 was the last release with GPU support on Windows": "tests/cli/cases/plan_windows_wsl2: tensorflow",
        "For `dotnet Host.dll` that is the folder of `dotnet.exe`": "tests/windows/replay_stories.py: net-beside",
        "TensorFlow in the same process does not": "tests/windows/replay_stories.py: native-runtimes",
        "changes the prompt in which you paste it": "tests/windows/replay_stories.py: program_finds_by_cmd",
        "If CUDA was installed later, the fix is a new prompt": UNIT + "host/windows_test.cpp: variables of the registry are read",
        "prints these (`shell = \"cmd\"` in a configuration file": "tests/cli/cases/check_shell_cmd: cmd",
        "still measures which PTX the toolkit writes and reads": "tests/windows/same_by_root.py: toolkit-build",
        "`find_package(CudaConsistent)` works as elsewhere": "tests/windows/install_and_cmake.py: cmake",
    },
    "rules.md": {
        "`ptxguard explain CC202` prints what a rule checks": "tests/cli/cases/explain_by_name: explain",
        "A code's first digit is its family": UNIT + "judge/rule_pages.cpp: the table has every folder once",
    },
    "tables.md": {
        "prints how new the tables are": "tests/cli/cases/version: --version",
        "Each row lists its sources, measured ones first": UNIT + "facts/check_test.cpp: a row without a source is reported",
        "It is *unknown*, neither a pass nor an error": SHOWN,
        "With `--fail-on unknown`, the exit code is 1": HERE + "test_exit_codes",
        "A toolkit that is newer than the tables is still measured": "tests/real/test_drivers.py: test_a_library_of_an_unlisted_version_works_the_same",
        "reports each value that differs": "tests/cli/cases/facts_verify_nothing: --verify",
        "A broken file is reported with its line and not used; the exit code is then 2": "tests/cli/cases/facts_broken_table: --facts",
    },
}


def text_of(page: str) -> str:
    return (ROOT / "docs" / page).read_text(encoding="utf-8")


def flat(text: str) -> str:
    return re.sub(r"\s+", " ", text)


class Rows(unittest.TestCase):
    def test_each_sentence_is_in_its_page(self) -> None:
        for page, rows in ROWS.items():
            for sentence in rows:
                self.assertIn(sentence, flat(text_of(page)), page)

    def test_each_test_is_there(self) -> None:
        for page, rows in ROWS.items():
            for sentence, holder in rows.items():
                file, name = holder.split(": ", 1)
                path = ROOT / file
                text = (path / "args.txt").read_text() if path.is_dir() else path.read_text(encoding="utf-8")
                with self.subTest(page=page, sentence=sentence):
                    self.assertIn(name, text)

    def test_each_section_has_a_row(self) -> None:
        for path in sorted((ROOT / "docs").glob("*.md")):
            pieces = re.split(r"^#+ (.*)$", re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.S), flags=re.M)
            for title, body in zip(pieces[1::2], pieces[2::2]):
                if path.name == "fatbin.md" or not body.strip():
                    continue
                self.assertTrue(any(sentence in flat(body) for sentence in ROWS.get(path.name, {})), f"{path.name}: {title}")


def recipe_names() -> tuple[str, str]:
    """The names of recipes/find/kinds.cpp as expressions of a hook, with one alternative a line: what lint reads, and what it leaves out."""
    named: dict[bool, list[str]] = {True: [], False: []}
    table = (ROOT / "tools/ptxguard/recipes/find/kinds.cpp").read_text(encoding="utf-8")
    for pattern, folder in re.findall(r'^    \{"([^"]+)", RecipeKind::\w+(?:, "([^"]+)")?\},', table, re.M):
        name = re.escape(pattern).replace(r"y\*ml", "ya?ml").replace(r"\*", "[^/]*").replace(r"\-", "-")
        named[folder != "-"].append(f"(?-i:{re.escape(folder)})/{name}" if folder not in ("", "-") else name)
    read, left_out = ("(?ix)(^|/)(\n" + "|\n".join(all_) + "\n)$" for all_ in (named[True], named[False]))
    return read, left_out


class ErrorPages(unittest.TestCase):
    def test_each_page_has_its_sections(self) -> None:
        for path in sorted((ROOT / "docs/errors").glob("*.md")):
            if path.name != "README.md":
                text = path.read_text(encoding="utf-8")
                self.assertEqual(re.findall(r"^## (.*)", text, re.M), ["See the cause", "Fix"], path.name)
                self.assertIn(f"]({path.name})", (path.parent / "README.md").read_text(encoding="utf-8"), path.name)

    def test_the_codes_of_a_page_are_rules(self) -> None:
        known = {path.name[:5] for path in (ROOT / "tools/ptxguard/judge/rules").glob("CC*")}
        for path in sorted((ROOT / "docs/errors").glob("*.md")):
            self.assertLessEqual(set(re.findall(r"CC\d{3}", path.read_text(encoding="utf-8"))), known, path.name)


class Hooks(unittest.TestCase):
    def test_the_hooks_of_lint_name_what_it_reads(self) -> None:
        text = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
        for key, expected in zip(("files: &recipes", "exclude: &others"), recipe_names()):
            start = text.index(f"  {key} |-\n")
            lines = [line[4:] for line in text[start:].splitlines()[1:] if line.startswith("    ")]
            given = "\n".join(lines)[: len(expected)]
            self.assertEqual(given.splitlines(), expected.splitlines(), f"{key} in .pre-commit-hooks.yaml")

    def test_names_are_matched(self) -> None:
        read, left_out = map(re.compile, recipe_names())
        for name in ("Dockerfile", "docker/Dockerfile.gpu", ".travis.yml", "azure-pipelines.yml", ".circleci/x.yml", "Pipfile", "a.PS1", "conda/env.yaml",
                     "justfile", "tools/setup.bat", "x/conda-cuda.yml", "app.def", "cmake/Cuda.cmake", ".github/workflows/a.yml"):
            self.assertTrue(read.search(name) and not left_out.search(name), name)
        for name in ("notes.md", "src/main.py", "Dockerfiles/notes", "a.yml", "docs/workflow/a.yml", "Conda/a.yml"):
            self.assertFalse(read.search(name), name)
        for name in ("test_install.py", "Dockerfile.dockerignore", "recipe/conda_build_config.yaml"):
            self.assertTrue(left_out.search(name), name)


class Behaviour(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "empty").mkdir()
        (self.folder / "Dockerfile").write_text("FROM python:3.12\nRUN pip install torch==2.5.1+cu125\n")

    def run_it(self, *words: str, code: int | None = None) -> str:
        done = subprocess.run([PTXGUARD, *words], cwd=self.folder, capture_output=True, text=True, timeout=60,
                              env={"PATH": "/usr/bin:/bin", "HOME": str(self.folder)})
        if code is not None:
            self.assertEqual(done.returncode, code, f"{words}\n{done.stdout}{done.stderr}")
        return done.stdout

    # Without this machine: an empty tree, and what is named.
    CHECK = ("check", "--root", "empty", "--os", "linux", "--framework", "torch==2.11.0+cu130", "--gpu", "A100")

    def test_formats_leave_the_exit_code(self) -> None:
        self.run_it("lint", "--format", "sarif", code=0)
        for form in ("github", "gitlab", "junit", "markdown", "html", "oneline", "json", "text"):
            self.run_it("lint", "--format", form, code=1)

    def test_output_keeps_the_text(self) -> None:
        text = self.run_it("lint", "--format", "github", "-o", "report", code=1)
        self.assertIn("[CC603]", text)
        self.assertNotIn("::error", text)
        self.assertIn("::error", (self.folder / "report").read_text())
        self.run_it("lint", "--write", "json=a.json", "--write", "sarif=a.sarif", code=1)
        self.assertTrue((self.folder / "a.json").is_file() and (self.folder / "a.sarif").is_file())

    def plan(self, *words: str) -> dict:
        return json.loads(self.run_it("plan", "--isolated", "--driver", "580.65.06", *words, "--format", "json"))["sets"][0]

    def test_a_compiled_package_is_unknown(self) -> None:
        answer = self.plan("--framework", "flash-attn", "--gpu", "H100", "--os", "linux")
        self.assertEqual(answer["fit"], "unknown")
        self.assertIn(" && python3 -m pip install flash-attn --no-build-isolation", answer["install"][0]["text"])
        self.assertEqual(self.plan("--framework", "transformers", "--gpu", "H100", "--os", "linux")["fit"], "runs")

    def test_commands_for_windows(self) -> None:
        for words in (("torch", "--gpu", "RTX 5080"), ("transformers", "--gpu", "RTX 5080"), ("onnxruntime-gpu", "--gpu", "A100")):
            for line in self.plan("--framework", *words, "--os", "windows")["install"]:
                self.assertNotRegex(line["text"], "'|&&")

    def test_a_diff_is_applied(self) -> None:
        self.run_it("lint", "--diff", "-o", "fix.diff")
        subprocess.run(["git", "apply", "-p0", "fix.diff"], cwd=self.folder, check=True, capture_output=True)
        self.assertIn("torch==2.5.1+cu124", (self.folder / "Dockerfile").read_text())

    def test_keys_are_the_names_of_options(self) -> None:
        known = set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)", self.run_it("help", "check", code=0), re.M))
        self.assertGreater(len(known), 25)
        for key, value in (("driver", '"470.256.02"'), ("gpu", '["A100", "H100"]'), ("fail-on", '"unknown"'), ("cxx-standard", "17")):
            self.assertIn(key, known)
            (self.folder / "own.toml").write_text(f"{key} = {value}\n")
            self.assertNotIn("unknown key", self.run_it("check", "--config", "own.toml", "--root", "empty", "--os", "linux"))
        (self.folder / "own.toml").write_text("no-such-option = 1\n")
        self.run_it("check", "--config", "own.toml", "--root", "empty", code=2)

    def test_machines_of_a_configuration_count_everywhere(self) -> None:
        (self.folder / "own.toml").write_text('driver = "470.256.02"\ngpu = "A100"\nframework = "torch==2.11.0+cu130"\n')
        (self.folder / "k.ptx").write_text(".version 9.0\n.target sm_80\n.address_size 64\n")
        (self.folder / "requirements.txt").write_text("torch==2.11.0\n")
        (self.folder / "build.log").write_text("RuntimeError: the provided PTX was compiled with an unsupported toolchain.\n")
        for words in (("check", "--root", "empty", "--os", "linux"), ("inspect", "k.ptx"), ("plan",), ("lint", "requirements.txt"),
                      ("explain", "--here", "build.log", "--root", "empty", "--os", "linux")):
            self.assertIn("470", self.run_it(*words, "--config", "own.toml"), words)

    def test_a_suppression_that_matches_nothing(self) -> None:
        (self.folder / "requirements.txt").write_text("torch==2.5.1  # ptxguard: ignore=CC612 why\n")
        for words in ((*self.CHECK, "--ignore", "CC612=why"), ("lint", "requirements.txt")):
            report = json.loads(self.run_it(*words, "--format", "json"))
            self.assertIn("CC003", [one["code"] for one in report["findings"]], words)

    def test_exit_codes(self) -> None:
        self.run_it(*self.CHECK, "--driver", "580.65.06", code=0)
        self.run_it(*self.CHECK, "--driver", "535.104.05", code=1)
        self.run_it(*self.CHECK, "--driver", "535.104.05", "--fail-on", "never", code=0)
        self.run_it(*self.CHECK, "--driver", "999.10", code=0)
        self.run_it(*self.CHECK, "--driver", "999.10", "--fail-on", "unknown", code=1)
        self.run_it("check", "--root", "empty", "--os", "linux", code=0)
        self.run_it("check", "--root", "empty", "--os", "linux", "--framework", "torch", code=1)
        self.run_it("check", "--root", "empty", "--os", "linux", "--framework", "torch", "--fail-on", "never", code=0)
        self.run_it("check", "--no-such-option", code=2)
        self.run_it("inspect", "not-there", code=2)

    def test_exit_code_of_explain(self) -> None:
        self.run_it("explain", "the provided PTX was compiled with an unsupported toolchain", code=1)
        (self.folder / "good.log").write_text("[100%] Built target saxpy\n")
        self.run_it("explain", "good.log", code=0)

    def test_members_of_a_diagnosis(self) -> None:
        text = "ptxas /tmp/k.ptx, line 9; fatal   : Unsupported .version 8.5; current version is '8.2'"
        report = json.loads(self.run_it("explain", text, "--format", "json"))
        first = report["diagnoses"][0]
        for member in ("code", "rank", "cause", "confidence", "matched", "decide", "fix", "fingerprint"):
            self.assertIn(member, first)
        self.assertEqual(first["matched"][0]["line"], 1)
        self.assertIn("not_toolchain", report)

    def test_every_report_has_the_envelope(self) -> None:
        (self.folder / "build.log").write_text("no kernel image is available for execution on the device\n")
        for words in (self.CHECK, ("plan", "--framework", "torch", "--driver", "535"), ("lint",), ("inspect", PTXGUARD), ("deps", PTXGUARD),
                      ("explain", "build.log"), ("matrix", "--root", "empty", "--driver", "535")):
            report = json.loads(self.run_it(*words, "--format", "json"))
            for member in ("schema", "tool", "command", "verdict", "counts", "findings"):
                self.assertIn(member, report, words)
            self.assertIn(report["verdict"], ("pass", "fail", "unknown", "not_checked"))
            for one in report["findings"]:
                self.assertIn("url", one)

    def test_fingerprints(self) -> None:
        (self.folder / "requirements.txt").write_text("torch==2.5.1+cu125\ntorchvision==0.20.1+cu125\n")
        both = [[one["fingerprint"] for one in json.loads(self.run_it("lint", "--format", "json"))["findings"]] for _ in range(2)]
        self.assertEqual(both[0], both[1])
        self.assertGreater(len(both[0]), 1)
        self.assertEqual(len(set(both[0])), len(both[0]))


if __name__ == "__main__":
    unittest.main()
