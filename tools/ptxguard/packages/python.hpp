// Which Python environment to check, and the folders from which it imports, as site.py would compute them.
// Nothing is run.
//
// The first of these that selects a Python, for all commands and rooms:
//   1. --python
//   2. the active environment: VIRTUAL_ENV, then CONDA_PREFIX
//   3. the project's, as `uv run` selects it: .venv beside the nearest pyproject.toml, from the working
//   folder
//      up to the repository's root; not with --isolated. Conda's base environment, which shells activate
//      automatically, comes after it.
//   4. PATH: the first folder that contains python3 or python (in this order, on Windows the other way
//   round);
//      Python 2 only if there is no other, never the links of Microsoft's Store
// A variable that selects no Python is skipped, and `because` says so; so is an environment that contains
// only ptxguard (uvx, pipx, pre-commit), unless --python names it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/host.hpp"
#include "model/request.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Fills scenario.python; an unusable --python is reported in scenario.unreadable.
void find_python(const Host& host, const Request& request, Scenario& scenario);

struct PythonLayout {
    std::string prefix;                 // folder above bin/ or Scripts/; for a virtual environment its own
    std::vector<std::string> versions;  // "3.11", "3.13t"; several if it is not known which; newest first
    bool is_virtual = false;
    bool sees_system = true;  // the base's packages and the user's are imported too
    std::string home, base;   // folder and prefix of the Python that a virtual environment was made from
};
std::optional<PythonLayout> layout_of_interpreter(const Host& host, const std::string& interpreter);
// A virtual environment, a conda environment or an installation; nothing for any other folder.
std::optional<PythonLayout> layout_of_prefix(const Host& host, const std::string& prefix);

// The real interpreter of a `python` on PATH: follows pyenv's shims and plain wrapper scripts.
std::string follow_wrappers(const Host& host, const std::string& interpreter);
// In a build that pip isolates, PYTHONPATH contains BUILD/site, whose sitecustomize.py adds BUILD/overlay and
// BUILD/normal and removes the environment's own packages. Returns BUILD; empty outside.
std::string isolated_build(const Host& host);
// Existing folders only: PYTHONPATH, the user's, the environment's own, the system's.
std::vector<std::string> site_folders(const Host& host, const PythonLayout& layout);
// The folder itself first, then those that its *.pth files, editable installs, egg-links and direct_url.json
// add; like site.py, does not search added folders for further .pth files.
std::vector<SitePlace> with_added_paths(const Host& host, const std::vector<std::string>& folders);

}  // namespace ptxguard
