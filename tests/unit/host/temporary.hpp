// A folder for one test, removed afterwards.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/host.hpp"
#include "host/paths.hpp"

struct Temporary {
    std::string path = *ptxguard::own::temporary_folder();
    ~Temporary() { ptxguard::own::remove_tree(path); }
    std::string operator/(const std::string& name) const { return ptxguard::join_path(path, name); }
    std::string write(const std::string& name, const std::string& text) const {
        ptxguard::own::write_file(*this / name, text);
        return *this / name;
    }
};
