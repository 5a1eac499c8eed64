// What a recipe calls the environment that is judged.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ptxguard {

// Each may be empty.
struct RecipePlace {
    std::string file;
    std::string stage;        // "build", "job test"
    std::string row;          // which one of a job's: "(cuda=12.1)"
    std::string environment;  // a folder or a name: "/opt/venv"
    std::string pass;         // for whom its markers are followed: "Windows, Python 3.9"

    std::string stage_and_row() const { return stage + (row.empty() ? "" : " " + row); }
    // "ci.yml stage job test (cuda=12.1)"
    std::string name() const {
        std::string all = file;
        if (!stage.empty()) all += " stage " + stage_and_row();
        if (!environment.empty()) all += " environment " + environment;
        if (!pass.empty()) all += " pass " + pass;
        return all;
    }
};

}  // namespace ptxguard
