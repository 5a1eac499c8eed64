// setup.py: branches that compare the release of CUDA, and the flags and lists in them. The rest of the code
// is not followed.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/arch_requests.hpp"
#include "recipes/branches.hpp"
#include "recipes/release_words.hpp"

namespace ptxguard::recipes {
namespace {

// Splits at `word` outside of brackets.
std::vector<std::string> parts_at(const std::string& text, const std::string& word) {
    std::vector<std::string> parts(1);
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '(' || text[i] == '[') ++depth;
        if (text[i] == ')' || text[i] == ']') --depth;
        if (depth == 0 && text.compare(i, word.size(), word) == 0) {
            parts.emplace_back();
            i += word.size() - 1;
        } else {
            parts.back() += text[i];
        }
    }
    return parts;
}

// What a comparison compares: a release, or one number of it.
struct Side {
    std::optional<Version> value;
    bool of_release = false;
    bool number = false;  // only its major or minor
};

// "Version('11.8')", "int(bare_metal_major)", "(11, 8)", "11080", "torch.version.cuda".
Side side_of(std::string text, const Version& release) {
    text = trim(text);
    for (std::size_t open; (open = text.find('(')) != npos && open > 0 && text.back() == ')';)
        text = trim(std::string_view(text).substr(open + 1, text.size() - open - 2));
    Side side;
    std::string digits;
    for (const char c : text)
        if (c != '"' && c != '\'' && c != '(' && c != ')' && c != ' ') digits += c == ',' ? '.' : c;
    if (!digits.empty() && digits.find_first_not_of("0123456789.") == npos) {
        side.value = parse_version(digits);
        const int whole = side.value && side.value->numbers.size() == 1 ? side.value->major() : 0;
        if (whole >= 1000)
            side.value =
                parse_version(std::to_string(whole / 1000) + "." + std::to_string(whole % 1000 / 10));
        return side;
    }
    const std::string name = lower(text);
    if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.") != npos) return side;
    const bool named =
        name.find("cuda") != npos || name.find("nvcc") != npos || name.find("bare_metal") != npos;
    if (!named || name.find("min") < name.find("minor") || name.find("max") != npos ||
        name.find("arch") != npos)
        return side;
    side.number = ends_with(name, "major") || ends_with(name, "minor");
    side.of_release = side.number || name.find("ver") != npos;
    if (ends_with(name, "major")) side.value = parse_version(std::to_string(release.major()));
    if (ends_with(name, "minor")) side.value = parse_version(std::to_string(release.minor()));
    if (side.of_release && !side.number) side.value = release;
    return side;
}

struct Condition {
    Truth value = Truth::unknown;
    bool of_release = false;
};

Condition comparison(const std::string& text, const Version& release) {
    for (const char* op : {">=", "<=", "==", "!=", ">", "<"}) {
        const std::size_t at = text.find(op);
        if (at == npos) continue;
        const std::string_view sign(op);
        const Side left = side_of(text.substr(0, at), release),
                   right = side_of(text.substr(at + sign.size()), release);
        if (!left.value || !right.value || left.of_release == right.of_release) return {};
        const int order = compare(*left.value, *right.value);
        const bool yes = sign == ">="   ? order >= 0
                         : sign == "<=" ? order <= 0
                         : sign == "==" ? order == 0
                         : sign == "!=" ? order != 0
                         : sign == ">"  ? order > 0
                                        : order < 0;
        return {truth(yes), true};
    }
    return {};
}

Condition condition_of(const std::string& given, const Version& release, int depth = 0) {
    constexpr int k_deepest = 20;  // deeper ones decide nothing
    const std::string text = trim(given);
    if (depth > k_deepest) return {};
    for (const bool any : {true, false}) {
        const auto parts = parts_at(text, any ? " or " : " and ");
        if (parts.size() < 2) continue;
        Condition all{truth(!any), false};
        for (const std::string& part : parts) {
            const Condition one = condition_of(part, release, depth + 1);
            all.of_release = all.of_release || one.of_release;
            all.value = any ? either(all.value, one.value) : both(all.value, one.value);
        }
        return all;
    }
    if (starts_with(text, "not ")) {
        Condition one = condition_of(text.substr(4), release, depth + 1);
        one.value = opposite(one.value);
        return one;
    }
    if (text.size() > 1 && text.front() == '(' && text.back() == ')') {
        int level = 0;
        bool whole = true;
        for (std::size_t i = 0; i + 1 < text.size(); ++i) {
            if (text[i] == '(') ++level;
            if (text[i] == ')') --level;
            whole = whole && level > 0;
        }
        if (whole && text.find_first_of("<>=") != npos)
            return condition_of(text.substr(1, text.size() - 2), release, depth + 1);
    }
    return comparison(text, release);
}

class GateFollower {
public:
    GateFollower(const GatedScript& script, const Version& release, Budget& budget)
        : m_file(script.file), m_statements(script.python), m_budget(budget) {
        m_result.release = release;
    }

    ReleaseRequests follow() {
        for (const Statement& one : m_statements) {
            if (!m_budget.spend_at(Budget::Place{m_file, one.line}, 1)) break;
            statement(one);
        }
        return std::move(m_result);
    }

private:
    struct Block : Branch {
        std::size_t indentation = 0;
    };

    void statement(const Statement& one) {
        std::string text = one.text;
        const bool goes_on =
            starts_with(text, "elif ") || starts_with(text, "elif(") || starts_with(text, "else");
        while (!m_blocks.empty() && (m_blocks.back().indentation > one.indentation ||
                                     (m_blocks.back().indentation == one.indentation && !goes_on)))
            m_blocks.pop_back();
        if (starts_with(text, "if ") || starts_with(text, "if(")) {
            m_blocks.push_back({begun_in(m_blocks), one.indentation});
            text = branch(one, text.substr(2));
        } else if (goes_on && !m_blocks.empty() && m_blocks.back().indentation == one.indentation) {
            text = branch(one, starts_with(text, "elif") ? text.substr(4) : "");
        }
        if (text.empty() || active(m_blocks) == Truth::no) return;
        const bool ends = starts_with_any(text, {"raise ", "raise(", "sys.exit", "exit("});
        m_result.refused = m_result.refused || (ends && any_of_release(m_blocks));
        if (!ends && text.find(" if ") == npos) requests(one, text);
    }

    // The statement behind the colon, if it is on the same line.
    std::string branch(const Statement& one, const std::string& condition) {
        Block& here = m_blocks.back();
        const auto parts = parts_at(condition.empty() ? one.text : condition, ":");
        const std::string behind = parts.size() > 1 ? trim(parts[1]) : "";
        if (!here.next()) return behind;
        Condition own{Truth::yes, false};
        if (!condition.empty()) {
            own = condition_of(parts[0], m_result.release);
            here.of_release = here.of_release || own.of_release;
            if (own.of_release) m_result.conditions[one.line] = own.value;
        }
        here.run_if(own.value);
        return behind;
    }

    // NAME = "...", NAME += [...], NAME.append("..."), os.environ["NAME"] = "...".
    void requests(const Statement& one, const std::string& text) {
        std::size_t end = text.find_first_of("=+(");
        if (end == npos) return;
        std::string name = trim(std::string_view(text).substr(0, end));
        const bool adds = text[end] == '+' || ends_with(name, ".append") || ends_with(name, ".extend");
        if (adds && name.rfind('.') != npos && text[end] == '(') name.resize(name.rfind('.'));
        const std::vector<Arch> archs = archs_in(name, text.substr(end));
        if (!adds && text[end] == '=' && active(m_blocks) == Truth::yes && !archs.empty()) forget(name);
        for (const Arch arch : archs)
            m_result.places[{name, arch}] = {one.line, static_cast<int>(one.indentation) + 1};
    }

    void forget(const std::string& name) {
        auto at = m_result.places.lower_bound({name, Arch{}});
        while (at != m_result.places.end() && at->first.name == name) at = m_result.places.erase(at);
    }

    const std::string& m_file;
    const std::vector<Statement>& m_statements;
    Budget& m_budget;
    std::vector<Block> m_blocks;
    ReleaseRequests m_result;
};

}  // namespace

std::vector<Statement> statements_of(std::string_view text) {
    std::vector<Statement> all;
    Statement now;
    int depth = 0, line = 1;
    char quote = 0;
    bool begins = true;
    const auto finish = [&] {
        if (now.text.find_first_not_of(" \t\r") != npos) all.push_back(now);
        now = {};
        begins = true;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\n') {
            ++line;
            if (depth > 0 || quote) continue;
            finish();
            continue;
        }
        if (begins && (c == ' ' || c == '\t')) {
            ++now.indentation;
            continue;
        }
        if (begins) now.line = line, begins = false;
        if (!quote && c == '#') {
            while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
            continue;
        }
        if (quote) {
            if (c == '\\' && i + 1 < text.size()) now.text += text[i++];
            if (text[i] == quote) quote = 0;
        } else if (c == '"' || c == '\'') {
            // A long text: skipped, it is documentation.
            if (text.substr(i, 3) == std::string(3, c)) {
                const std::size_t end = std::min(text.find(std::string(3, c), i + 3), text.size());
                line += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(i),
                                                    text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
                i = std::min(end + 2, text.size());
                continue;
            }
            quote = c;
        } else if (c == '(' || c == '[' || c == '{') {
            ++depth;
        } else if (c == ')' || c == ']' || c == '}') {
            depth = std::max(0, depth - 1);
        }
        if (i < text.size()) now.text += text[i];
    }
    finish();
    return all;
}

ReleaseRequests python_requests_for(const GatedScript& script, const Version& release, Budget& budget) {
    for (const Statement& one : script.python) budget.spend_bytes(one.text.size());
    return GateFollower(script, release, budget).follow();
}

bool compares_release(const std::vector<Statement>& python) {
    const Version any = *parse_version("12.0");
    for (const Statement& one : python) {
        const bool branch = starts_with_any(one.text, {"if ", "if(", "elif ", "elif("});
        if (branch &&
            condition_of(parts_at(one.text.substr(one.text[0] == 'e' ? 4 : 2), ":")[0], any).of_release)
            return true;
    }
    return false;
}

}  // namespace ptxguard::recipes
