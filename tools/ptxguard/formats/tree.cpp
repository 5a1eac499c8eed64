// Look-ups in a tree of any format.
// SPDX-License-Identifier: Apache-2.0
#include "formats/tree.hpp"

#include "model/text.hpp"

namespace ptxguard {
namespace {

const Tree k_none;

}  // namespace

const Tree* Tree::find(std::string_view key) const {
    for (auto member = members.rbegin(); member != members.rend(); ++member)
        if (member->first.text == key) return &member->second;
    return nullptr;
}

const Tree& Tree::operator[](std::string_view key) const {
    const Tree* found = find(key);
    return found ? *found : k_none;
}

bool Tree::truth() const {
    const std::string word = lower(text);
    return is_scalar() && !quoted && (word == "true" || word == "yes" || word == "on");
}

std::vector<const Tree*> Tree::each() const {
    std::vector<const Tree*> result;
    if (is_list())
        for (const Tree& item : items) result.push_back(&item);
    else if (kind != Kind::none)
        result.push_back(this);
    return result;
}

}  // namespace ptxguard
