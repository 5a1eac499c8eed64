// Requirements as PEP 508 and pip write them, one by one and in files (requirements.txt, constraints.txt).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "recipes/interpret.hpp"

namespace ptxguard::recipes {

// "torch[opt]>=2,<3; python_version < '3.12'", "torch @ URL", a URL or the path of an archive: of a wheel or
// an sdist the name and "==VERSION" come from its file name. `url` without a name: an unnamed one.
Requirement read_requirement(const Written& text);
// A folder or a repository that is built where it is: ".", "./dir[extra]", "/app".
bool is_project(std::string_view text);

// The lines of a file as pip applies them: requirements (or, of a file after -c, constraints), indexes, and
// the files that it names with -r and -c. `name` as in the command that names it.
void read_requirements(const std::string& name, const FileText& file, bool constraints, const ReadFile& files,
                       const Inherited& inherited, PipInstall& into);
// The same of lines that are written elsewhere: `pip:` of an environment.yml. `name`: the file that has them.
void read_requirement_lines(const std::string& name, std::vector<Written> lines, const ReadFile& files,
                            const Inherited& inherited, PipInstall& into);

// A file that nobody names: one stage. A file with "constraint" in its name installs nothing itself.
Recipe read_requirements_recipe(const std::string& file, std::string_view text, const ReadFile& files);

}  // namespace ptxguard::recipes
