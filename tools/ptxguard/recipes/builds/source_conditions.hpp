// The conditions of the preprocessor around a line of a C++ source: for which releases of CUDA or cuDNN they
// include it. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "recipes/builds/source_names.hpp"

namespace ptxguard::recipes {

class SourceConditions {
public:
    explicit SourceConditions(bool by_nvcc) : m_by_nvcc(by_nvcc) {}

    // #if, #ifdef, #else, #endif ...; false: another directive. `code`: the whole text, in which the guard of
    // a header is found.
    bool take(const std::string& word, const std::string& rest, const std::string& code, int line);
    // Nothing: the line is left out, or it is not known whether it is.
    std::optional<NameRange> range() const;

private:
    // One branch: nothing is known of an open one.
    struct Branch {
        bool open = false, never = false;
        NameRange range;
        Branch without() const;  // the releases of the other branch
    };
    Branch of(const std::string& condition) const;
    Branch compared(const std::string& condition) const;
    Branch defined(const std::string& name) const;
    static Branch both(const Branch& a, const Branch& b);
    void begin(Branch branch);
    void next(const Branch& own);

    struct Block {
        Branch now, before;  // `before`: what all earlier branches leave
    };
    std::vector<Block> m_blocks;
    bool m_by_nvcc;
};

}  // namespace ptxguard::recipes
