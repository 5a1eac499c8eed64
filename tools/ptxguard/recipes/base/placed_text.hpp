// Text assembled from parts of a file, such as an instruction of a Dockerfile without its line continuations
// and comments, with the line and column of each byte in that file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

struct Place {
    int line = 0, column = 0;
};

class PlacedText {
public:
    explicit PlacedText(std::string file_) : file(std::move(file_)) {}
    // A whole file.
    PlacedText(std::string file_, std::string_view text_) : file(std::move(file_)) { append(text_, {1, 1}); }

    explicit PlacedText(const Written& whole) : file(whole.file) {
        append(whole.text, {whole.line, whole.column});
    }

    void append(std::string_view more, Place at);
    Place place(std::size_t offset) const;
    Written written(std::size_t offset, std::string value) const;
    Written written(std::size_t begin, std::size_t end) const {
        return written(begin, text.substr(begin, end - begin));
    }
    // The bytes [begin, end) with their positions.
    PlacedText part(std::size_t begin, std::size_t end) const;

    std::string file, text;

private:
    struct Mark {
        std::size_t offset;
        Place at;
    };
    std::vector<Mark> m_marks;  // ascending; all bytes of a mark are in one line
};

}  // namespace ptxguard::recipes
