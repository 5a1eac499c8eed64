// The values of all options for one run, each with its origin: built-in < configuration file < PTXGUARD_*
// variables < command line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/finding.hpp"
#include "model/request.hpp"
#include "model/result.hpp"

namespace ptxguard {

struct Setting {
    std::vector<std::string> values;
    Origin origin;                // "--driver", "ptxguard.toml:3", "PTXGUARD_DRIVER"
    std::vector<Origin> origins;  // of each value, if they are in separate lines; else empty
};

// The configuration file that is used.
struct Configuration {
    std::string path;                    // empty = none
    bool found = false;                  // found, not named: it may be a stranger's
    std::vector<std::string> not_taken;  // keys that only a named file may set
};

struct Settings {
    std::map<std::string, Setting> options;  // by option name
    std::vector<std::string> arguments;      // positional
    Configuration configuration;
    // For lint: authors of recipes may suppress findings in them, and in the configuration beside them.
    bool judges_recipes = false;

    bool has(const std::string& name) const { return options.count(name) != 0; }
    std::string one(const std::string& name, const std::string& fallback = {}) const;  // the last value
    const std::vector<std::string>& all(const std::string& name) const;
    Origin origin(const std::string& name) const;
};

// An option as the user wrote it: "--driver", "ptxguard.toml:3: driver", "PTXGUARD_DRIVER".
std::string written(const std::string& name, const Origin& origin);

// Adds `values` for an option that is not set yet, checked against the option table (unknown words, empty
// values, numbers, versions, architectures). The error names the option as the user wrote it.
std::optional<Trouble> set_option(Settings& settings, const std::string& name,
                                  std::vector<std::string> values, const Origin& origin);
// PTXGUARD_DRIVER=... for options that are not on the command line.
std::optional<Trouble> add_environment(Settings& settings,
                                       const std::map<std::string, std::string>& environment);

// The settings that find facts.
Request request_from(const Settings& settings);
std::vector<Suppression> suppressions_from(const Settings& settings);
// The rules of --select; empty = all.
std::set<std::string> selected_codes(const Settings& settings);

// config.cpp: options of the configuration file `path` (ptxguard.toml, or [tool.ptxguard] of a
// pyproject.toml) that are not set yet; relative places are relative to its folder. An unknown key is an
// error with file, line and the nearest key. A file that was only `found` may select no program or library,
// and may not lower the gate.
std::optional<Trouble> add_configuration(Settings& settings, const std::string& path, const std::string& text,
                                         bool found = false);

}  // namespace ptxguard
