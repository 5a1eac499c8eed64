// SPDX-License-Identifier: Apache-2.0
#include "recipes/containers/bake.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/python/python_code.hpp"
#include "recipes/shell/shell_syntax.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_most_bake_rows{64, "rows of a target's matrix in a bake file", "later rows"};
constexpr Limit k_deepest_bake{30, "blocks in each other in a bake file", "deeper ones"};

// A string, list or table; of a table each item has its key.
struct BakeValue {
    Written text;
    std::vector<BakeValue> items;
    std::vector<Written> keys;  // of a table
    bool known = false;
};
using BakeTable = std::map<std::string, BakeValue>;

struct BakeTarget {
    Written name;
    BakeTable members;
};

// HCL has the strings, names and "#" comments of Python; its other comments become blanks.
std::string without_slashes(std::string_view text) {
    std::string all(text);
    char quote = 0;
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        if (all[i] == '"' && (i == 0 || all[i - 1] != '\\')) quote = quote ? 0 : '"';
        if (all[i] == '\n') quote = 0;
        if (quote || all[i] != '/' || (all[i + 1] != '/' && all[i + 1] != '*')) continue;
        const bool line = all[i + 1] == '/';
        const std::size_t end = line ? std::min(all.find('\n', i), all.size())
                                     : std::min(all.find("*/", i + 2), all.size() - 2) + 2;
        for (; i < end; ++i)
            if (all[i] != '\n') all[i] = ' ';
    }
    return all;
}

class BakeReader {
public:
    BakeReader(const std::string& file, std::string_view text) {
        m_recipe.kind = RecipeKind::bake_file;
        m_recipe.file = file;
        for (const PythonLine& line : python_lines(without_slashes(without_mark(text))))
            append(m_tokens, line.tokens);
    }

    Recipe read() {
        while (m_at < m_tokens.size()) block();
        note_contexts();
        for (const auto& [name, target] : m_targets)
            if (!starts_with(name, "_")) add_rows(target);
        return std::move(m_recipe);
    }

private:
    bool here(std::string_view sign) const { return m_at < m_tokens.size() && m_tokens[m_at].is(sign); }
    Written place() const {
        const Place at = m_tokens[std::min(m_at, m_tokens.size() - 1)].at;
        return {"", m_recipe.file, at.line, at.column};
    }

    // variable "NAME" { default = "..." }, target "NAME" { ... }; other blocks are skipped.
    void block() {
        const std::string kind = m_tokens[m_at++].text;
        if (m_at >= m_tokens.size() || (kind != "variable" && kind != "target")) return;
        Written name = place();
        name.text = m_tokens[m_at++].text;
        if (!here("{")) return;
        ++m_at;
        BakeValue body;
        collection(true, 0, body);
        BakeTable members;
        for (std::size_t i = 0; i < body.items.size(); ++i)
            members[body.keys[i].text] = std::move(body.items[i]);
        if (kind == "target") m_targets[name.text] = {name, std::move(members)};
        const auto otherwise = members.find("default");
        if (kind != "variable" || otherwise == members.end() || !otherwise->second.known) return;
        otherwise->second.text.fixed = false;
        m_variables[name.text] = otherwise->second.text;
    }

    // A list, a table, a text, a name with its dots.
    void operand(std::size_t depth, BakeValue& result) {
        const PythonToken& token = m_tokens[m_at++];
        if (token.is("{") || token.is("[")) return collection(token.is("{"), depth, result);
        result.known = token.kind != PythonToken::Kind::sign;
        if (result.known) result.text.text = token.text;
        if (token.kind != PythonToken::Kind::name) return;
        for (; here(".") && m_at + 1 < m_tokens.size(); m_at += 2)
            result.text.text += "." + m_tokens[m_at + 1].text;
        result.text.text = "${" + result.text.text + "}";
    }

    BakeValue value(std::size_t depth) {
        BakeValue result;
        result.text = place();
        if (m_at >= m_tokens.size() || m_recipe.problems.exceeds(k_deepest_bake, depth + 1, result.text)) {
            m_at = m_tokens.size();
            return result;
        }
        operand(depth, result);
        // An operator, a call: another expression, up to the end of this member.
        while (m_at < m_tokens.size() && !here("}") && !here("]") && !here(",") && !starts_member()) {
            result = {result.text, {}, {}, false};
            if (here("(") || here("{") || here("["))
                value_in_brackets(depth);
            else
                ++m_at;
        }
        return result;
    }

    void value_in_brackets(std::size_t depth) {
        const std::string close = here("(") ? ")" : here("{") ? "}" : "]";
        for (++m_at; m_at < m_tokens.size() && !here(close);) {
            const bool opens = here("(") || here("{") || here("[");
            if (!opens || m_recipe.problems.exceeds(k_deepest_bake, depth + 1, place()))
                ++m_at;
            else
                value_in_brackets(depth + 1);
        }
        ++m_at;
    }

    // NAME = ..., "NAME" = ..., NAME: ...
    bool starts_member() const {
        const auto is_key = [](const PythonToken& one) { return one.kind != PythonToken::Kind::sign; };
        return m_at + 1 < m_tokens.size() && is_key(m_tokens[m_at]) &&
               (m_tokens[m_at + 1].is("=") || m_tokens[m_at + 1].is(":"));
    }

    void collection(bool table, std::size_t depth, BakeValue& result) {
        result.known = true;
        const char* close = table ? "}" : "]";
        while (m_at < m_tokens.size() && !here(close)) {
            if (here(",")) {
                ++m_at;
                continue;
            }
            if (table && !starts_member()) {  // a block in it
                ++m_at;
                continue;
            }
            if (table) {
                Written key = place();
                key.text = m_tokens[m_at].text;
                result.keys.push_back(std::move(key));
                m_at += 2;
            }
            result.items.push_back(value(depth + 1));
        }
        ++m_at;
    }

    // With the variables of the file, and those of a row of the matrix.
    Written expanded(Written text, const std::map<std::string, Written>& row) const {
        std::string all;
        for (std::size_t i = 0; i < text.text.size();) {
            const std::size_t open = text.text.find("${", i);
            all += text.text.substr(i, open - i);
            if (open == npos) break;
            const std::size_t close = std::min(text.text.find('}', open), text.text.size());
            const std::string name = trim(text.text.substr(open + 2, close - open - 2));
            const auto own = row.find(name), global = m_variables.find(name);
            const Written* found = own != row.end()              ? &own->second
                                   : global != m_variables.end() ? &global->second
                                                                 : nullptr;
            if (found) {
                all += found->text;
                text.fixed = text.fixed && found->fixed;
            } else {
                text.known = false;
            }
            i = close + 1;
        }
        text.text = std::move(all);
        return text;
    }

    // The members of the target, with those of the targets that it inherits from.
    BakeTable members_of(const BakeTarget& target) const {
        constexpr std::size_t k_bases = 100;  // more than any file has
        BakeTable all;
        std::set<std::string> seen;
        std::vector<const BakeTarget*> open = {&target};
        while (!open.empty() && seen.size() < k_bases) {
            const BakeTarget& one = *open.back();
            open.pop_back();
            if (!seen.insert(one.name.text).second) continue;
            all.insert(one.members.begin(), one.members.end());  // what is there already counts
            const auto bases = one.members.find("inherits");
            if (bases == one.members.end()) continue;
            for (const BakeValue& base : bases->second.items)  // of several the last one counts
                if (const auto other = m_targets.find(base.text.text); other != m_targets.end())
                    open.push_back(&other->second);
        }
        return all;
    }

    static const BakeValue* member(const BakeTable& members, const std::string& name) {
        const auto found = members.find(name);
        return found == members.end() ? nullptr : &found->second;
    }

    void add_rows(const BakeTarget& target) {
        std::vector<std::map<std::string, Written>> rows = {{}};
        const BakeTable members = members_of(target);
        const BakeValue* matrix = member(members, "matrix");
        for (std::size_t i = 0; matrix && i < matrix->keys.size(); ++i) {
            std::vector<std::map<std::string, Written>> more;
            for (const auto& row : rows)
                for (const BakeValue& value : matrix->items[i].items) {
                    if (m_recipe.problems.exceeds(k_most_bake_rows, more.size() + 1, target.name)) break;
                    more.push_back(row);
                    if (value.items.empty()) more.back()[matrix->keys[i].text] = value.text;
                    for (std::size_t k = 0; k < value.keys.size(); ++k)
                        more.back()[matrix->keys[i].text + "." + value.keys[k].text] = value.items[k].text;
                }
            if (!more.empty()) rows = std::move(more);
        }
        for (const auto& row : rows) add_target(target, members, row);
    }

    // Of the image: its tags, and what other targets name it in `contexts = {"base" = "target:NAME"}`.
    std::vector<Written> names_of(const BakeTarget& target, const BakeTable& members) const {
        std::vector<Written> names;
        if (const BakeValue* tags = member(members, "tags"))
            for (const BakeValue& tag : tags->items)
                if (tag.known) names.push_back(tag.text);
        const auto found = m_contexts.find(target.name.text);
        if (found != m_contexts.end()) append(names, found->second);
        return names;
    }

    void note_contexts() {
        for (const auto& [name, target] : m_targets) {
            const BakeValue* contexts = member(target.members, "contexts");
            for (std::size_t i = 0; contexts && i < contexts->keys.size(); ++i)
                if (const std::string& of = contexts->items[i].text.text; starts_with(of, "target:"))
                    m_contexts[of.substr(7)].push_back(contexts->keys[i]);
        }
    }

    void add_target(const BakeTarget& target, const BakeTable& members,
                    const std::map<std::string, Written>& row) {
        Command build;
        const auto add = [&](const std::string& text, const Written& at) {
            build.words.push_back(at);
            build.words.back().text = text;
        };
        const auto option = [&](const char* name, const char* of_target) {
            const BakeValue* given = member(members, of_target);
            if (!given || !given->known || !given->items.empty()) return;
            add(name, given->text);
            build.words.push_back(expanded(given->text, row));
        };
        for (const char* word : {"docker", "buildx", "build"}) add(word, target.name);
        const BakeValue* context = member(members, "context");
        const std::string folder = context && context->known ? expanded(context->text, row).text : ".";
        if (const BakeValue* file = member(members, "dockerfile"); file && file->known) {
            add("-f", file->text);
            build.words.push_back(expanded(file->text, row));
            build.words.back().text = join_path(folder, build.words.back().text);
        }
        option("--target", "target");
        for (const Written& tag : names_of(target, members)) {
            add("-t", tag);
            build.words.push_back(expanded(tag, row));
        }
        if (const BakeValue* arguments = member(members, "args"))
            for (std::size_t i = 0; i < arguments->keys.size(); ++i) {
                if (!arguments->items[i].known) continue;
                Written value = expanded(arguments->items[i].text, row);
                if (!value.known) continue;
                value.text = arguments->keys[i].text + "=" + value.text;
                add("--build-arg", arguments->keys[i]);
                build.words.push_back(std::move(value));
            }
        add(folder, target.name);
        Stage stage;
        stage.name = "target " + target.name.text;
        stage.steps.push_back(std::move(build));
        m_recipe.stages.push_back(std::move(stage));
    }

    Recipe m_recipe;
    std::vector<PythonToken> m_tokens;
    std::size_t m_at = 0;
    std::map<std::string, Written> m_variables;
    std::map<std::string, BakeTarget> m_targets;
    std::map<std::string, std::vector<Written>> m_contexts;  // by the target that builds them
};

}  // namespace

Recipe read_bake_file(const std::string& file, std::string_view text) {
    return BakeReader(file, text).read();
}

}  // namespace ptxguard::recipes
