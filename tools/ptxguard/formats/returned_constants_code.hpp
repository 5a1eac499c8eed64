// Machine code for returned_constants.cpp, one file per machine. Inner header.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace ptxguard {

// A section with its bytes.
struct CodePiece {
    std::uint64_t address = 0;
    std::string bytes;

    bool holds(std::uint64_t at) const { return at >= address && at - address < bytes.size(); }
};

// Calls `visit` for each instruction that loads an address, in their order: its position and the address.
using VisitReference = std::function<void(std::size_t at, std::uint64_t target)>;
// The number that a function passes to the call that makes an object of it; nothing if it does more.
using Constant = std::optional<std::uint32_t>;

void visit_references_x86_64(const CodePiece& code, const VisitReference& visit);
Constant constant_x86_64(const CodePiece& code, std::uint64_t address);
void visit_references_aarch64(const CodePiece& code, const VisitReference& visit);
Constant constant_aarch64(const CodePiece& code, std::uint64_t address);

}  // namespace ptxguard
