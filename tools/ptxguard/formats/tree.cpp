// Look-ups in a tree of any format.
// SPDX-License-Identifier: Apache-2.0
#include "formats/tree.hpp"

#include <unordered_map>

#include "model/text.hpp"

namespace ptxguard {
namespace {

const Tree k_none;

}  // namespace

struct Tree::Index {
    std::size_t size = 0;  // of the map for which it was built
    std::unordered_map<std::string, std::size_t> last;
};

const Tree* Tree::find(std::string_view key) const {
    constexpr std::size_t k_few = 16;
    if (members.size() > k_few) {
        if (!m_index || m_index->size != members.size()) {
            auto index = std::make_shared<Index>();
            index->size = members.size();
            for (std::size_t i = 0; i < members.size(); ++i) index->last[members[i].first.text] = i;
            m_index = std::move(index);
        }
        const auto found = m_index->last.find(std::string(key));
        return found == m_index->last.end() ? nullptr : &members[found->second].second;
    }
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
