// SPDX-License-Identifier: Apache-2.0
#include "formats/python_imports.hpp"

#include <algorithm>
#include <initializer_list>

#include "formats/text_lines.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// A block whose content may not be executed, or may fail.
struct Block {
    std::size_t indent = 0;
    bool is_try = false;
};

bool begins_with_word(std::string_view line, std::string_view word) {
    return starts_with(line, word) &&
           (line.size() == word.size() || line.find_first_of(" \t:(", word.size()) == word.size());
}

std::string_view without_comment(std::string_view line) { return line.substr(0, line.find('#')); }

// Omits texts in triple quotes, which may look like code.
class CodeLines {
public:
    // The code of a line; empty within such a text.
    std::string_view code_of(std::string_view line) {
        if (!m_quote.empty()) {
            if (line.find(m_quote) != std::string_view::npos) m_quote = {};
            return {};
        }
        for (const std::string_view quote : {std::string_view("\"\"\""), std::string_view("'''")}) {
            const std::size_t at = line.find(quote);
            if (at == std::string_view::npos) continue;
            if (line.find(quote, at + 3) == std::string_view::npos) m_quote = quote;
            return line.substr(0, at);
        }
        return without_comment(line);
    }

private:
    std::string_view m_quote;
};

class ImportReader {
public:
    void line(std::string_view raw) {
        const std::string_view code = m_lines.code_of(raw);
        if (m_pending.empty()) {
            const std::size_t indent = code.find_first_not_of(" \t");
            if (indent == std::string_view::npos) return;
            enter(code.substr(indent), indent);
            if (!is_import(code.substr(indent)) && !is_load(code)) return;
            m_pending = std::string(code.substr(indent));
        } else {
            m_pending += ' ';
            m_pending += code;
        }
        const bool bracket = std::count(m_pending.begin(), m_pending.end(), '(') >
                             std::count(m_pending.begin(), m_pending.end(), ')');
        const bool backslash = ends_with(trimmed(code), "\\");
        if (!bracket && !backslash) finish();
    }
    std::vector<PythonImport> imports;
    std::vector<std::string> loads;

private:
    static bool is_import(std::string_view code) {
        return begins_with_word(code, "import") || begins_with_word(code, "from");
    }

    static bool is_load(std::string_view code) {
        return any_of(std::initializer_list<std::string_view>{"load_library(", "LoadLibrary(", "CDLL("},
                      [&](std::string_view call) { return code.find(call) != std::string_view::npos; });
    }

    void enter(std::string_view code, std::size_t indent) {
        bool after_try = false;
        while (!m_blocks.empty() && m_blocks.back().indent >= indent) {
            after_try = m_blocks.back().indent == indent && m_blocks.back().is_try;
            m_blocks.pop_back();
        }
        const auto begins_with = [&](std::initializer_list<std::string_view> words) {
            return any_of(words, [&](std::string_view word) { return begins_with_word(code, word); });
        };
        const auto has = [&](std::string_view part) { return code.find(part) != npos; };
        const bool is_try = begins_with({"try", "except", "finally"}) || (after_try && begins_with({"else"}));
        const bool never = begins_with({"if"}) && (has("TYPE_CHECKING") || has("__main__"));
        const bool suppresses = begins_with({"with"}) && has("suppress");
        if (is_try || never || suppresses || begins_with({"def", "async"}))
            m_blocks.push_back({indent, is_try});
    }

    void finish() {
        const std::string statement = std::move(m_pending);
        m_pending.clear();
        if (!m_blocks.empty()) return;
        if (!is_import(statement)) return add_loads(statement);
        const bool plain = begins_with_word(statement, "import");
        const std::size_t at = statement.find(" import");
        if (plain) {
            for (const std::string& name : names_in(statement.substr(6))) imports.push_back({name, {}});
        } else if (const auto words = split(statement, " \t\r");
                   words.size() > 2 && at != std::string::npos) {
            imports.push_back({words[1], names_in(statement.substr(at + 7))});
        }
    }

    void add_loads(const std::string& statement) {
        for (std::size_t at = statement.find_first_of("\"'"); at != std::string::npos;) {
            const std::size_t end = statement.find(statement[at], at + 1);
            if (end == std::string::npos) return;
            const std::string text = statement.substr(at + 1, end - at - 1);
            if (!text.empty()) loads.push_back(text.substr(text.rfind('/') + 1));
            at = statement.find_first_of("\"'", end + 1);
        }
    }

    // "a.b as c, d" -> a.b, d
    static std::vector<std::string> names_in(const std::string& text) {
        std::vector<std::string> names;
        for (const std::string& part : split(text, ",;()\\"))
            if (const auto words = split(part, " \t\r"); !words.empty()) names.push_back(words.front());
        return names;
    }

    CodeLines m_lines;
    std::vector<Block> m_blocks;  // blocks around the line that guard it
    std::string m_pending;        // the start of an import over several lines
};

}  // namespace

std::vector<PythonImport> unconditional_imports(std::string_view text) {
    ImportReader reader;
    for (const std::string_view line : lines_of(text)) reader.line(line);
    return std::move(reader.imports);
}

std::vector<std::string> unconditional_loads(std::string_view text) {
    ImportReader reader;
    for (const std::string_view line : lines_of(text)) reader.line(line);
    return std::move(reader.loads);
}

bool may_return_before(std::string_view text, std::string_view word) {
    struct Function {
        std::size_t indent = 0;
        bool has_returned = false;
    };
    CodeLines lines;
    std::vector<Function> around;
    for (const std::string_view raw : lines_of(text)) {
        const std::string_view code = lines.code_of(raw);
        const std::size_t indent = code.find_first_not_of(" \t");
        if (indent == std::string_view::npos) continue;
        const std::string_view statement = code.substr(indent);
        while (!around.empty() && around.back().indent >= indent) around.pop_back();
        if (code.find(word) != std::string_view::npos &&
            any_of(around, [](const Function& one) { return one.has_returned; }))
            return true;
        if (begins_with_word(statement, "def") || begins_with_word(statement, "async"))
            around.push_back({indent, false});
        else if (begins_with_word(statement, "return") && !around.empty())
            around.back().has_returned = true;
    }
    return false;
}

std::string absolute_module(const std::string& module, std::string package) {
    const std::size_t dots = std::min(module.find_first_not_of('.'), module.size());
    if (dots == 0) return module;
    for (std::size_t i = 1; i < dots; ++i)
        package.resize(package.find('.') == std::string::npos ? 0 : package.rfind('.'));
    const std::string rest = module.substr(dots);
    return package.empty() || rest.empty() ? package : package + "." + rest;
}

}  // namespace ptxguard
