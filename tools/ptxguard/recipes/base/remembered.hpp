// What was made of a text that reads other files, for the next command that reads it: it is made again only
// if one of these files has another content.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// A file that a text reads, or tries to.
struct ReadOnce {
    std::string path;
    Written by;
    std::string file;
    std::size_t size = 0, hash = 0;
};
inline ReadOnce read_once(const std::string& path, const Written& by, const std::optional<FileText>& text) {
    if (!text) return {path, by, ""};
    return {path, by, text->file, text->text.size() + 1, std::hash<std::string>()(text->text)};
}

template <class Key, class Value, std::size_t k_kept>
class Remembered {
public:
    // `make(files)` gives a Value. Null: the budget of the run is over, so it has only a part.
    template <class Make>
    std::shared_ptr<const Value> get(const Key& key, const ReadFile& files, const Make& make) {
        const auto is_same = [&](const ReadOnce& one) {
            const ReadOnce now = read_once(one.path, one.by, files(one.path, one.by));
            return now.file == one.file && now.size == one.size && now.hash == one.hash;
        };
        for (const Kept& one : m_all)
            if (one.key == key && std::all_of(one.read.begin(), one.read.end(), is_same)) return one.value;
        Kept fresh{key, {}, nullptr};
        const ReadFile noted = files.instead([&](const std::string& path, const Written& by) {
            auto text = files(path, by);
            fresh.read.push_back(read_once(path, by, text));
            return text;
        });
        fresh.value = std::make_shared<const Value>(make(noted));
        if (files.budget().is_over()) return nullptr;
        m_all.push_front(std::move(fresh));
        if (m_all.size() > k_kept) m_all.pop_back();
        return m_all.front().value;
    }

private:
    struct Kept {
        Key key;
        std::vector<ReadOnce> read;
        std::shared_ptr<const Value> value;
    };
    std::deque<Kept> m_all;
};

}  // namespace ptxguard::recipes
