// Built from libyaml's events, because its own tree has no positions of block texts and no limits. Only this
// translation unit includes the library.
// SPDX-License-Identifier: Apache-2.0
#include "formats/yaml.hpp"

#include <yaml.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "formats/text_lines.hpp"
#include "model/limit.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

constexpr Limit k_most_bytes{8u << 20, "bytes of a YAML file", "the file"};
constexpr Limit k_deepest_yaml{64, "values in values", "the file"};
// Including what aliases repeat: limits "a billion laughs".
constexpr Limit k_most_nodes{500000, "values of a YAML file with its aliases", "the file"};
constexpr Limit k_most_text{32u << 20, "bytes of values with their aliases", "the file"};

struct Parser {
    yaml_parser_t parser;
    bool usable;
    explicit Parser(std::string_view text) : usable(yaml_parser_initialize(&parser) == 1) {
        if (!usable) return;
        yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
        yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(text.data()),
                                     text.size());
    }
    ~Parser() {
        if (usable) yaml_parser_delete(&parser);
    }
    Parser(const Parser&) = delete;
    Parser& operator=(const Parser&) = delete;
};

struct Event {
    yaml_event_t event{};
    ~Event() { yaml_event_delete(&event); }
    Event() = default;
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
};

std::string text_of(const yaml_char_t* text) {
    return text ? std::string(reinterpret_cast<const char*>(text)) : std::string();
}

struct Size {
    std::size_t nodes = 0, text = 0;
};
void add_size(const Tree& node, Size& size) {
    ++size.nodes;
    size.text += node.text.size();
    for (const Tree& item : node.items) add_size(item, size);
    for (const auto& [key, value] : node.members) add_size(key, size), add_size(value, size);
}

class Builder {
public:
    Builder(std::string_view text, const std::string& subject)
        : m_text(text),
          m_subject(subject),
          m_lines(lines_of(text)),
          m_parser(text),
          m_ascii(none_of(text, [](char c) { return (c & 0x80) != 0; })) {}

    Result<std::vector<Tree>> read() {
        if (!m_parser.usable) return Trouble{m_subject, "was not read", "out of memory"};
        for (;;) {
            Event event;
            if (yaml_parser_parse(&m_parser.parser, &event.event) == 0) return not_valid();
            if (event.event.type == YAML_STREAM_END_EVENT) return std::move(m_documents);
            if (const char* why = take(event.event)) {
                const std::string at = place(event.event.start_mark.line);
                return m_reached ? m_reached->trouble(at) : Trouble{at, "was not read", why};
            }
        }
    }

private:
    struct Open {
        Tree node;
        std::string anchor;
        bool has_key = false;
        Tree key;
        std::vector<std::pair<Tree, Tree>> merged;  // by "<<"
    };

    std::string place(std::size_t line) const { return m_subject + ":" + std::to_string(line + 1); }

    Trouble not_valid() const {
        const yaml_parser_t& parser = m_parser.parser;
        const bool reader = parser.error == YAML_READER_ERROR;
        const std::size_t line = reader ? static_cast<std::size_t>(std::count(
                                              m_text.begin(),
                                              m_text.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                   parser.problem_offset, m_text.size())),
                                              '\n'))
                                        : parser.problem_mark.line;
        return {place(line), "is not valid YAML", parser.problem ? parser.problem : ""};
    }

    // Why reading ends here, or null.
    const char* exceeds(const Limit& limit, std::size_t count) {
        return limit.is_exceeded(count, [&](const Limit& reached) { m_reached = &reached; }) ? "a limit"
                                                                                             : nullptr;
    }
    const char* is_too_large() {
        const char* nodes = exceeds(k_most_nodes, m_size.nodes);
        return nodes ? nodes : exceeds(k_most_text, m_size.text);
    }

    const char* take(const yaml_event_t& event) {
        switch (event.type) {
            case YAML_DOCUMENT_START_EVENT:
                m_anchors.clear();
                m_root = {};
                return nullptr;
            case YAML_DOCUMENT_END_EVENT: m_documents.push_back(std::move(m_root)); return nullptr;
            case YAML_SEQUENCE_START_EVENT:
            case YAML_MAPPING_START_EVENT: return open(event);
            case YAML_SEQUENCE_END_EVENT:
            case YAML_MAPPING_END_EVENT: {
                Open top = std::move(m_open.back());
                m_open.pop_back();
                if (!top.merged.empty()) {
                    auto& own = top.node.members;
                    top.merged.insert(top.merged.end(), std::make_move_iterator(own.begin()),
                                      std::make_move_iterator(own.end()));
                    own = std::move(top.merged);
                }
                return add(std::move(top.node), top.anchor);
            }
            case YAML_SCALAR_EVENT: return scalar(event);
            case YAML_ALIAS_EVENT: return alias(event);
            default: return nullptr;
        }
    }

    const char* open(const yaml_event_t& event) {
        if (const char* why = exceeds(k_deepest_yaml, m_open.size() + 1)) return why;
        const bool list = event.type == YAML_SEQUENCE_START_EVENT;
        Open opened;
        opened.anchor = text_of(list ? event.data.sequence_start.anchor : event.data.mapping_start.anchor);
        opened.node.kind = list ? Tree::Kind::list : Tree::Kind::map;
        opened.node.is_reference = list && text_of(event.data.sequence_start.tag) == "!reference";
        set_place(opened.node, event.start_mark);
        m_open.push_back(std::move(opened));
        ++m_size.nodes;
        return is_too_large();
    }

    // libyaml counts characters.
    void set_place(Tree& node, const yaml_mark_t& mark) const {
        node.line = static_cast<int>(mark.line) + 1;
        std::size_t column = mark.column;
        if (!m_ascii && mark.line < m_lines.size()) column = bytes_of(m_lines[mark.line], column);
        node.column = static_cast<int>(column) + 1;
    }

    // "pip install\n  torch" below ">" is one line; for a shell "\" at the end means the same.
    std::string lines_of_block(const Tree& node, const yaml_event_t& event) const {
        const auto from = static_cast<std::size_t>(node.line) - 1;
        const std::size_t indent = static_cast<std::size_t>(node.column) - 1;
        const std::size_t end = std::min<std::size_t>(event.end_mark.line, m_lines.size());
        const auto line_at = [&](std::size_t at) {
            return at < end && m_lines[at].size() > indent ? m_lines[at].substr(indent) : std::string_view{};
        };
        const auto folds = [&](std::string_view line) { return !line.empty() && line[0] != ' '; };
        std::string result;
        for (std::size_t at = from; at < end; ++at) {
            result += line_at(at);
            result += folds(line_at(at)) && folds(line_at(at + 1)) ? " \\\n" : "\n";
        }
        return result;
    }

    const char* scalar(const yaml_event_t& event) {
        const auto& data = event.data.scalar;
        Tree node;
        node.kind = Tree::Kind::scalar;
        node.text.assign(reinterpret_cast<const char*>(data.value), data.length);
        node.quoted = data.style != YAML_PLAIN_SCALAR_STYLE;
        set_place(node, event.start_mark);
        if (data.style == YAML_LITERAL_SCALAR_STYLE || data.style == YAML_FOLDED_SCALAR_STYLE) {
            node.is_block = true;
            place_of_block(node, event);
            if (data.style == YAML_FOLDED_SCALAR_STYLE) node.lines = lines_of_block(node, event);
        } else if (data.style != YAML_PLAIN_SCALAR_STYLE) {
            ++node.column;  // after the quote
        } else if (node.text.empty() || node.text == "~" || node.text == "null") {
            node.kind = Tree::Kind::none;
        }
        ++m_size.nodes;
        m_size.text += node.text.size();
        if (const char* why = is_too_large()) return why;
        return add(std::move(node), text_of(data.anchor));
    }

    // The first line with text behind "|".
    void place_of_block(Tree& node, const yaml_event_t& event) const {
        std::size_t line = event.start_mark.line + 1;
        const std::size_t leading = node.text.find_first_not_of('\n');
        if (leading == std::string::npos || line + leading >= m_lines.size()) return;
        // Leading blank lines are in the text.
        const std::string_view first = m_lines[line + leading];
        const std::size_t extra = node.text.find_first_not_of(' ', leading);  // deeper than the others
        const std::size_t indent = std::min(first.find_first_not_of(' '), first.size());
        const std::size_t own = extra == std::string::npos ? 0 : extra - leading;
        node.line = static_cast<int>(line) + 1;
        node.column = static_cast<int>(indent - std::min(own, indent)) + 1;
    }

    const char* alias(const yaml_event_t& event) {
        const auto found = m_anchors.find(text_of(event.data.alias.anchor));
        if (found == m_anchors.end()) return "an alias names nothing before it";
        add_size(found->second, m_size);
        if (const char* why = is_too_large()) return why;
        return add(found->second, "");
    }

    const char* add(Tree node, const std::string& anchor) {
        if (!anchor.empty()) {
            add_size(node, m_size);
            if (const char* why = is_too_large()) return why;
            m_anchors[anchor] = node;
        }
        if (m_open.empty()) {
            m_root = std::move(node);
            return nullptr;
        }
        Open& top = m_open.back();
        if (top.node.is_list()) {
            top.node.items.push_back(std::move(node));
        } else if (!top.has_key) {
            top.key = std::move(node);
            top.has_key = true;
        } else {
            top.has_key = false;
            if (top.key.text == "<<" && !top.key.quoted)
                merge(top, node);
            else
                top.node.members.emplace_back(std::move(top.key), std::move(node));
        }
        return nullptr;
    }

    // Own members override merged ones, in any order; find() returns the last, so merged ones go to the
    // front. Of several maps the first wins.
    static void merge(Open& into, const Tree& from) {
        const std::vector<const Tree*> maps = from.each();
        for (auto one = maps.rbegin(); one != maps.rend(); ++one)
            into.merged.insert(into.merged.end(), (*one)->members.begin(), (*one)->members.end());
    }

    std::string_view m_text;
    const std::string& m_subject;
    std::vector<std::string_view> m_lines;
    Parser m_parser;
    bool m_ascii;
    std::vector<Tree> m_documents;
    std::vector<Open> m_open;
    std::map<std::string, Tree> m_anchors;
    Tree m_root;
    Size m_size;
    const Limit* m_reached = nullptr;
};

}  // namespace

Result<std::vector<Tree>> read_yaml(std::string_view text, const std::string& subject) {
    if (auto trouble = k_most_bytes.trouble_beyond(text.size(), subject)) return *trouble;
    return Builder(without_mark(text), subject).read();
}

}  // namespace ptxguard
