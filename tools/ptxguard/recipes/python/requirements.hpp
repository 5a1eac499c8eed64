// Requirements in the notation of PEP 508 and pip, single and in files (requirements.txt, constraints.txt).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "recipes/base/inherited.hpp"

namespace ptxguard::recipes {

// "torch[opt]>=2,<3; python_version < '3.12'", "torch @ URL", a URL or the path of an archive: the name and
// "==VERSION" come from the file name of a wheel or sdist. `url` without a name: an unnamed one.
WrittenRequirement read_requirement(const Written& text);
// The URL from which a table takes a package ({url = "..."}): the release and the file are those of its name.
void take_from(const Written& url, WrittenRequirement& requirement);
// A folder or repository that is built in place: ".", "./dir[extra]", "/app".
bool is_project(std::string_view text);

// The lines of a file as pip applies them: requirements (or constraints in a file after -c), indexes, and
// files after -r and -c. `name` as in the command that refers to it.
void read_requirements(const std::string& name, const FileText& file, bool constraints, const ReadFile& files,
                       const Inherited& inherited, PipInstall& into);
// The same for lines in other files: `pip:` in an environment.yml. `name`: the file that contains them.
void read_requirement_lines(const std::string& name, std::vector<Written> lines, const ReadFile& files,
                            const Inherited& inherited, PipInstall& into);

// A file that no command refers to: one stage. A file with "constraint" in its name installs nothing itself.
Recipe read_requirements_recipe(const std::string& file, std::string_view text, const ReadFile& files);

}  // namespace ptxguard::recipes
