// SPDX-License-Identifier: Apache-2.0
#include "recipes/ci/matrix.hpp"

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/tree_places.hpp"

namespace ptxguard::recipes {
namespace {

bool same(const Tree& a, const Tree& b) {
    if (a.kind != b.kind || a.text != b.text || a.items.size() != b.items.size() ||
        a.members.size() != b.members.size())
        return false;
    for (std::size_t i = 0; i < a.items.size(); ++i)
        if (!same(a.items[i], b.items[i])) return false;
    for (std::size_t i = 0; i < a.members.size(); ++i)
        if (!same(a.members[i].first, b.members[i].first) || !same(a.members[i].second, b.members[i].second))
            return false;
    return true;
}

// Whether `exclude` means the value: a map with more members matches too.
bool is_meant(const Tree& excluded, const Tree& value) {
    if (excluded.members.empty() || !value.is_map()) return same(excluded, value);
    return all_of(excluded.members, [&](const auto& member) {
        return any_of(value.members, [&](const auto& own) {
            return own.first.text == member.first.text && is_meant(member.second, own.second);
        });
    });
}

void set(MatrixRow& row, const std::string& name, const Tree& value) {
    for (auto& [known, old] : row.values)
        if (known == name) {
            old = &value;
            return;
        }
    row.values.emplace_back(name, &value);
}

// `include`: merged into every row whose own values it does not change; otherwise a separate row.
void add_included(const Tree& included, std::vector<MatrixRow>& rows, std::size_t combinations,
                  const std::vector<MatrixRow>& original, const Limit& most, const std::string& file,
                  Problems& problems) {
    bool joined = false;
    for (std::size_t i = 0; i < combinations; ++i) {
        const bool fits = all_of(included.members, [&](const auto& member) {
            const Tree* own = original[i].find(member.first.text);
            return !own || same(*own, member.second);
        });
        if (!fits) continue;
        joined = true;
        for (const auto& [name, value] : included.members) set(rows[i], name.text, value);
    }
    if (joined) return;
    if (problems.exceeds(most, rows.size() + 1, [&] { return written(included, file); })) return;
    MatrixRow row;
    for (const auto& [name, value] : included.members) set(row, name.text, value);
    rows.push_back(std::move(row));
}

// Each row with each of the values.
std::vector<MatrixRow> with_each(const std::vector<MatrixRow>& rows, const std::string& name,
                                 const Tree& values, const Limit& most, const std::string& file,
                                 Problems& problems) {
    std::vector<MatrixRow> more;
    for (const MatrixRow& row : rows)
        for (const Tree& value : values.items) {
            if (problems.exceeds(most, more.size() + 1, [&] { return written(value, file); })) break;
            more.push_back(row);
            more.back().values.emplace_back(name, &value);
        }
    return more;
}

bool is_excluded(const MatrixRow& row, const Tree& excluded) {
    return excluded.is_map() && all_of(excluded.members, [&](const auto& member) {
               const Tree* own = row.find(member.first.text);
               return own && is_meant(member.second, *own);
           });
}

}  // namespace

const Tree* MatrixRow::find(const std::string& name) const {
    for (const auto& [known, value] : values)
        if (known == name) return value;
    return nullptr;
}

std::string MatrixRow::text() const {
    std::string result;
    for (const auto& [name, value] : values) {
        if (!value->is_scalar() || value->text.find("${{") != npos) continue;
        result += (result.empty() ? "" : ", ") + name + "=" + value->text;
        if (result.size() > 80) return result;
    }
    return result;
}

std::vector<MatrixRow> matrix_rows(const Tree& matrix, const Limit& most, const std::string& file,
                                   Problems& problems) {
    std::vector<MatrixRow> rows(1);
    bool any = false;
    for (const auto& [name, values] : matrix.members) {
        // What an expression makes is not known, and is there.
        if (values.is_scalar() && values.text.find("${{") != npos) {
            if (name.text == "include")
                for (MatrixRow& row : rows) row.open = true;
            else
                for (MatrixRow& row : rows) row.values.emplace_back(name.text, &values);
        }
        if (name.text == "include" || name.text == "exclude" || !values.is_list() || values.items.empty())
            continue;
        any = true;
        rows = with_each(rows, name.text, values, most, file, problems);
    }
    for (const Tree* excluded : matrix["exclude"].each())
        erase_if(rows, [&](const MatrixRow& row) { return any && is_excluded(row, *excluded); });
    if (!any && matrix["include"].is_list()) rows.clear();
    const std::vector<MatrixRow> original = rows;
    for (const Tree* included : matrix["include"].each())
        if (included->is_map())
            add_included(*included, rows, original.size(), original, most, file, problems);
    if (rows.empty()) rows.emplace_back();
    return rows;
}

}  // namespace ptxguard::recipes
