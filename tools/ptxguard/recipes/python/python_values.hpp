// Values of Python code that follow from its text: strings, numbers, lists, tables. What is not known stays
// open. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/text.hpp"
#include "model/truth.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// In a string: a part that is not known. A shell finds a variable that nothing sets.
inline constexpr std::string_view k_open_part = "${PTXGUARD_OPEN}";

struct PythonValue {
    enum class Kind { open, text, number, list, table, environment, file };
    Kind kind = Kind::open;
    Written text;                         // of a string or number, path of a file; True and None are numbers
    std::vector<PythonValue> items = {};  // of a table: key, value ...; of f"...": the values in it
    std::size_t weight = 1;               // of all items in items

    bool is_text() const { return kind == Kind::text; }
    bool is_list() const { return kind == Kind::list; }
    // A string whose parts are all known, or a number.
    bool is_known() const {
        return (kind == Kind::text || kind == Kind::number) && text.text.find(k_open_part) == npos;
    }

    static PythonValue of_text(Written text) { return {Kind::text, std::move(text)}; }
    static PythonValue of_word(std::string word) {
        Written text;
        text.text = std::move(word);
        return of_text(std::move(text));
    }
    static PythonValue of_number(Written text, std::string value) {
        text.text = std::move(value);
        return {Kind::number, std::move(text)};
    }
    // A list or table; open if it has more items than any recipe means.
    static PythonValue of_items(Kind kind, Written at, std::vector<PythonValue> items);
    void add(PythonValue item);
    static PythonValue of_truth(const Written& at, bool yes) { return of_number(at, yes ? "True" : "False"); }
};

// As it stands in an f-string; k_open_part if it is not known.
std::string text_in(const PythonValue& value);
Truth truth_of(const PythonValue& value);
// Whether nobody may override it.
bool is_fixed(const PythonValue& value);
// The same with `fixed` = false in all its parts.
PythonValue opened(PythonValue value);
// The same with `known` = false.
PythonValue unknown(PythonValue value);

PythonValue sum_of(const PythonValue& left, const PythonValue& right);
// "cu%s" % value
PythonValue formatted_by_percent(const PythonValue& left, const PythonValue& right);
// ==, !=, <, in, `not in` ...
PythonValue compared(const PythonValue& left, std::string_view sign, const PythonValue& right);
// Of the names that an item is unpacked into, the value of that one; null if the item has none.
const PythonValue* unpacked(const PythonValue& item, std::size_t name, std::size_t names);
PythonValue item_of(const PythonValue& value, const PythonValue& index);
// value[begin:end]; null = no bound.
PythonValue slice_of(const PythonValue& value, const PythonValue* begin, const PythonValue* end);
// PATH.parent, PATH.name, PATH.stem, PATH.parents; nothing = another attribute.
std::optional<PythonValue> attribute_of_path(const PythonValue& value, const std::string& name);
// os.path.dirname(PATH); of "." it is "..".
PythonValue parent_of(const PythonValue& path);
// Nothing = another method.
std::optional<PythonValue> method_of(const PythonValue& value, const std::string& name,
                                     const std::vector<PythonValue>& given,
                                     const std::vector<std::pair<std::string, PythonValue>>& named);

}  // namespace ptxguard::recipes
