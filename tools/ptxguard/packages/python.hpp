// Which Python's packages count, and from which folders it imports, as site.py would compute them. Nothing is
// run.
//
// The first that leads to a Python, for all commands and rooms alike:
//   1. --python
//   2. the environment that is activated: VIRTUAL_ENV, then CONDA_PREFIX
//   3. the project's, as `uv run` selects it: .venv beside the nearest pyproject.toml, from the working folder
//      up to the repository's root; not with --isolated. Conda's base environment, which shells activate by
//      themselves, comes after it.
//   4. PATH: the first folder that holds python3 or python (in this order, on Windows the other way round);
//      Python 2 only where there is no other, the links of Microsoft's Store never
// A variable that leads to no Python is skipped, and `because` says so; so is an environment that holds only
// ptxguard (uvx, pipx, pre-commit), unless --python names it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/host.hpp"
#include "model/request.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Fills scenario.python; a --python that names nothing usable is told in scenario.unreadable.
void find_python(const Host& host, const Request& request, Scenario& scenario);

struct PythonLayout {
    std::string prefix;                 // folder above bin/ or Scripts/; of a virtual environment its own
    std::vector<std::string> versions;  // "3.11", "3.13t"; several where nothing says which; newest first
    bool is_virtual = false;
    bool sees_system = true;  // the base's packages and the user's count
    std::string home, base;   // folder and prefix of the Python that a virtual environment was made from
};
std::optional<PythonLayout> layout_of_interpreter(const Host& host, const std::string& interpreter);
// A virtual environment, a conda environment or an installation; nothing where the folder is none of them.
std::optional<PythonLayout> layout_of_prefix(const Host& host, const std::string& prefix);

// What is really behind a `python` on PATH: pyenv's shims and plain wrapper scripts are followed.
std::string follow_wrappers(const Host& host, const std::string& interpreter);
// Inside a build that pip isolates PYTHONPATH names BUILD/site, whose sitecustomize.py leads to BUILD/overlay
// and BUILD/normal and takes the environment's own packages away. The BUILD folder; empty outside.
std::string isolated_build(const Host& host);
// Existing folders only: PYTHONPATH, the user's, the environment's own, the system's.
std::vector<std::string> site_folders(const Host& host, const PythonLayout& layout);
// The folder itself first, then what its *.pth files, editable installs, egg-links and direct_url.json add;
// as site.py, folders added here are not searched for further .pth files.
std::vector<SitePlace> with_added_paths(const Host& host, const std::vector<std::string>& folders);

}  // namespace ptxguard
