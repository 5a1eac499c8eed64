// cibuildwheel builds a project's wheels in a job of CI. What it does is in variables, CIBW_BEFORE_ALL_LINUX,
// and in the project's pyproject.toml.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "formats/tree.hpp"
#include "recipes/ci/expressions.hpp"
#include "recipes/shell/job.hpp"

namespace ptxguard::recipes {

// If a step of GitHub uses its action or runs its program: adds to `job` the commands that it runs before it
// builds, and the build, on Linux in an image for wheels, on Windows in cmd. Variables of the step win over
// those `of_job`, these over those `of_workflow` and over the options in the pyproject.toml, which `files`
// reads; `open`: it is not known whether the step runs.
void run_cibuildwheel(const Tree& step, const Tree& of_job, const Tree& of_workflow, const std::string& file,
                      const Scope& scope, bool open, const ReadFile& files, Job& job);

// The same for a script of another system, whose job has the variables.
void run_cibuildwheel(const PlacedText& script, bool windows, bool open, const ReadFile& files, Job& job);

}  // namespace ptxguard::recipes
