// What a stage may install that no other reader names: nvcc by a script of its own, an archive or files of
// another image, packages of folders and files. Only where nothing may, what is missing is known.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// A script whose text may do anything: "sh install.sh", "source env.sh".
bool runs_script(const Command& command);
// Python's packages that no pin names.
bool installs_others(const PipInstall& step);
bool installs_others(const Command& step);

class NvccSources {
public:
    void take(const SetVariable& variable);
    void take(const PipInstall& step);
    void take(const CondaInstall& step);
    void take(const AptInstall& step);
    void take(const Command& command);
    void take(const CopyFrom& step);

    bool may_install() const { return m_open || m_brought; }
    bool is_brought() const { return m_brought; }  // from another stage or image, by an SDK of NVIDIA's

private:
    bool m_open = false, m_brought = false;
};

}  // namespace ptxguard::recipes
