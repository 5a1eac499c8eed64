// An ordered map by name whose copies share what they have in common: a copy costs nothing, a change some
// small nodes. Each step of a recipe can so keep the variables that it runs with.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>

namespace ptxguard::recipes {

// A treap: a search tree by name that is also a heap by a number drawn from the name, so its form does not
// depend on the order of the insertions. Nodes never change.
template <class T>
class SharedMap {
public:
    bool empty() const { return !m_root; }

    const T* find(std::string_view name) const {
        const Node* at = m_root.get();
        while (at) {
            const int order = name.compare(at->entry->first);
            if (order == 0) return &at->entry->second;
            at = (order < 0 ? at->left : at->right).get();
        }
        return nullptr;
    }
    bool has(std::string_view name) const { return find(name) != nullptr; }

    void set(const std::string& name, T value) {
        Parts parts = split(m_root, name);
        m_root = joined(joined(parts.less, node_of(std::make_shared<const Entry>(name, std::move(value)))),
                        parts.more);
    }
    void erase(std::string_view name) {
        if (!has(name)) return;
        Parts parts = split(m_root, name);
        m_root = joined(parts.less, parts.more);
    }
    void clear() { m_root.reset(); }

    // In the order of the names: each(name, value).
    template <class Each>
    void each(const Each& call) const {
        visit(m_root.get(), call);
    }
    // Those that are not the same in `before`: the cost depends on the number of changes only.
    template <class Each>
    void each_change_since(const SharedMap& before, const Each& call) const {
        compare(before.m_root, m_root, call);
    }

private:
    using Entry = std::pair<const std::string, T>;
    struct Node;
    using Link = std::shared_ptr<const Node>;
    struct Node {
        std::shared_ptr<const Entry> entry;
        std::uint64_t weight = 0;
        Link left, right;
    };
    struct Parts {
        Link less, more;
        std::shared_ptr<const Entry> same;  // null = the name is not in the tree
    };

    // A recipe cannot choose names that make the tree deep.
    static std::uint64_t weight_of(const std::string& name) {
        static const std::uint64_t seed = std::random_device()();
        std::uint64_t mixed = std::hash<std::string>()(name) ^ (seed * 0x9E3779B97F4A7C15u);
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
        return mixed ^ (mixed >> 31);
    }
    static Link node_of(std::shared_ptr<const Entry> entry) {
        const std::uint64_t weight = weight_of(entry->first);
        return std::make_shared<const Node>(Node{std::move(entry), weight, nullptr, nullptr});
    }
    static Link with(const Node& node, Link left, Link right) {
        return std::make_shared<const Node>(Node{node.entry, node.weight, std::move(left), std::move(right)});
    }

    static Parts split(const Link& at, std::string_view name) {
        if (!at) return {};
        const int order = name.compare(at->entry->first);
        if (order == 0) return {at->left, at->right, at->entry};
        Parts parts = split(order < 0 ? at->left : at->right, name);
        if (order < 0)
            parts.more = with(*at, parts.more, at->right);
        else
            parts.less = with(*at, at->left, parts.less);
        return parts;
    }
    // All names of `left` are before those of `right`.
    static Link joined(const Link& left, const Link& right) {
        if (!left || !right) return left ? left : right;
        if (left->weight > right->weight) return with(*left, left->left, joined(left->right, right));
        return with(*right, joined(left, right->left), right->right);
    }

    template <class Each>
    static void visit(const Node* at, const Each& call) {
        if (!at) return;
        visit(at->left.get(), call);
        call(at->entry->first, at->entry->second);
        visit(at->right.get(), call);
    }
    template <class Each>
    static void compare(const Link& before, const Link& after, const Each& call) {
        if (!after || before == after) return;
        const Parts parts = split(before, after->entry->first);
        compare(parts.less, after->left, call);
        if (parts.same != after->entry) call(after->entry->first, after->entry->second);
        compare(parts.more, after->right, call);
    }

    Link m_root;
};

}  // namespace ptxguard::recipes
