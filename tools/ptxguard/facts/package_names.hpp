// Names in recipes that PyPI does not have, or that install nothing: facts/pypi_names.json, written by
// tools/dev/package_names.py.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/facts.hpp"

namespace ptxguard {

enum class NameFault {
    absent,       // PyPI has no such package
    placeholder,  // its installation ends with an error
    other         // the name of another project
};

struct PackageName {
    std::string name;
    NameFault fault = NameFault::absent;
    std::optional<Version> from;  // placeholder: the first and last such release; nothing = all
    std::string instead;
    Origin origin;
};
// All packages whose names begin with `start`.
struct NameFamily {
    std::string start;
    std::vector<std::string> ends;  // "11x", "12x"
    std::string instead;
    Origin origin;
};
struct PackageNames {
    std::vector<PackageName> names;
    std::vector<NameFamily> families;
};

// Nothing for a name that PyPI has, or that no table lists. `name` is canonical.
std::optional<PackageName> name_fault(const Facts& facts, const std::string& name);

}  // namespace ptxguard
