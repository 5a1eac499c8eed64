// Which CMake configures projects in a container, and the C++ standards of device code that they request.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "model/recipe.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// The CMake of one stage, from its steps in their order. Of several that are installed it takes the newest:
// which one a command finds depends on PATH.
class CMakeHere {
public:
    void take(const SetVariable& variable);
    void take(const PipInstall& step);
    void take(const CondaInstall& step);
    void take(const AptInstall& step);
    void take(const Command& command);
    void take(const CopyFrom& step);

    // Unknown if nothing configures a project, or if it may be another release.
    Known<Version> release(const RecipeImage& image, const std::string& platform, const Facts& facts) const;

private:
    void add(const std::string& number, const Written& at);

    std::vector<Known<Version>> m_installed;
    std::vector<WrittenRequirement> m_newest;  // of PyPI that is allowed
    Written m_of_system;                       // the word that installs the system's package
    bool m_newer = false;                      // the system's packages have a source with newer ones
    bool m_open = false;                       // one of a release that is not known may be there
    bool m_on_path = false;                    // PATH names a folder of a CMake
    bool m_downloads = false;                  // of a known release
    bool m_runs = false;
};

class Standards {
public:
    void take(const SetVariable& variable);
    void take(const DeviceExtension& step);
    void take(const Command& command);
    // After `recipe.cmake`.
    void fill(RecipeFacts& recipe) const;
    // The oldest CMake that the project's files admit.
    const Known<Version>& minimum() const { return m_minimum; }

private:
    void take_option(const Written& word, const Written* next);
    void take_definition(const Written& word);

    std::vector<StandardRequest> m_all;
    std::vector<StandardRequest> m_of_cxx;  // which CMake takes for CUDA too, where that has none
    bool m_required = false, m_cxx_required = false;
    bool m_language = false;  // CUDA is a language of the project
    Known<Version> m_minimum;
};

}  // namespace ptxguard::recipes
