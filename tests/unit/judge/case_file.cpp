// Splits a rule's cases.md into its cases. The format is described in tools/ptxguard/judge/README.md.
// SPDX-License-Identifier: Apache-2.0
#include "case_file.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "model/text.hpp"

using namespace ptxguard;

namespace {

bool begins(const std::string& text, const char* with) {
    return text.compare(0, std::string(with).size(), with) == 0;
}

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(' ');
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

Json nothing_of(const std::string& kind) { return kind == "project" ? Json() : Json::array(); }

// "error[CC202]: message"
bool read_headline(const std::string& line, ExpectedFinding& finding) {
    const std::size_t open = line.find('['), close = line.find(']');
    if (open == std::string::npos || close == std::string::npos || close < open) return false;
    finding.level = line.substr(0, open);
    finding.code = line.substr(open + 1, close - open - 1);
    if (!from_word<Level>(finding.level) || !begins(finding.code, "CC")) return false;
    finding.message = line.compare(close + 1, 2, ": ") == 0 ? line.substr(close + 3) : "";
    return true;
}

// "  found     PTX ISA 9.0   nvcc 13.0.88": ten columns for the label; without one the line belongs to the
// previous label.
void read_part(const std::string& line, ExpectedFinding& finding) {
    std::string label = trimmed(line.substr(0, 12));
    const std::string text = line.size() > 12 ? trimmed(line.substr(12)) : "";
    if (!finding.parts.empty() && (label.empty() || label == "or")) label = finding.parts.back().first;
    if (finding.parts.empty() || finding.parts.back().first != label) finding.parts.push_back({label, {}});
    finding.parts.back().second.push_back(text);
}

class CaseReader {
public:
    CaseReader(std::string rule, std::string recorded)
        : m_rule(std::move(rule)), m_recorded(std::move(recorded)) {}

    void line(int number, const std::string& text) {
        if (begins(text, "## ")) return heading(number, text.substr(3));
        if (text.empty() || begins(text, "# ")) return;
        if (m_cases.empty()) {
            m_given.push_back({number, text});
            return;
        }
        RuleCase& current = m_cases.back();
        ExpectedFinding finding;
        if (begins(text, "after fix:")) {
            m_fixed = true;
            const std::string fix = trimmed(text.substr(10));
            if (!fix.empty() && fix != "silent") m_fix.push_back({number, fix});
        } else if (m_fixed) {
            m_fix.push_back({number, text});
        } else if (read_headline(text, finding)) {
            current.expect.push_back(finding);
        } else if (!current.expect.empty() && text[0] == ' ') {
            read_part(text, current.expect.back());
        } else if (!option(current, text)) {
            m_facts.push_back({number, text});
        }
    }

    std::vector<RuleCase> take() {
        finish();
        return std::move(m_cases);
    }

private:
    // "fires on a misspelt folder: CUDA_HOME has one letter too many"
    void heading(int number, const std::string& text) {
        finish();
        const std::size_t colon = text.find(": ");
        RuleCase next;
        next.rule = m_rule;
        next.code = m_rule.substr(0, 5);
        next.name = text.substr(0, colon);
        next.about = colon == std::string::npos ? "" : text.substr(colon + 2);
        next.place = m_rule + "/cases.md:" + std::to_string(number);
        if (!begins(next.name, "fires") && !begins(next.name, "silent"))
            next.trouble = "a case begins with 'fires' or 'silent'";
        if (find(next.name)) next.trouble = "a case of that name is there already";
        m_cases.push_back(next);
    }

    const RuleCase* find(const std::string& name) const {
        for (const RuleCase& other : m_cases)
            if (other.name == name) return &other;
        return nullptr;
    }

    // Lines that are not facts: which facts a case is based on, options of the judge, the verdict.
    bool option(RuleCase& current, const std::string& text) {
        std::istringstream stream(text);
        std::string word, value;
        stream >> word;
        std::getline(stream >> std::ws, value);
        if (word == "like") {
            if (const RuleCase* other = find(value))
                m_base = other->facts;
            else
                current.trouble = "no case '" + value + "' before this one";
        } else if (word == "recorded") {
            const std::string file = m_recorded + "/" + value + ".json";
            Result<Json> json = parse_json(read_whole(file), file);
            if (json)
                m_base = *json;
            else
                current.trouble = json.trouble().text();
        } else if (word == "verdict") {
            current.verdict = value;
        } else if (word == "throws") {
            current.throwing_rule = value;
        } else if (text == "a rule fails") {
            current.rule_fails = true;
        } else if (word == "ignore") {
            const std::size_t from = value.find(" from ");
            const std::size_t line = value.rfind(':');
            const std::size_t equals = value.find('=');
            Suppression suppression{value.substr(0, equals), value.substr(equals + 1, from - equals - 1),
                                    Origin::from_option("--ignore")};
            if (from != std::string::npos)
                suppression.origin = Origin::from_file(value.substr(from + 6, line - from - 6),
                                                       std::stoi(value.substr(line + 1)));
            current.options.suppressions.push_back(suppression);
        } else if (word == "no") {
            std::istringstream kinds(value);
            for (std::string kind; kinds >> kind;) m_none.set(kind, nothing_of(kind));
        } else {
            return false;
        }
        return true;
    }

    Json read(RuleCase& current, const std::vector<FactLine>& lines) {
        const Result<Json> json = facts_json(lines, m_rule + "/cases.md");
        if (!json) current.trouble = json.trouble().text();
        return json ? *json : Json::object();
    }

    void finish() {
        if (!m_cases.empty()) {
            RuleCase& current = m_cases.back();
            if (m_base.is_null()) m_base = read(current, m_given);
            current.facts = overlaid(overlaid(m_base, m_none), read(current, m_facts));
            if (m_fixed) {
                Json none = Json::object();
                for (auto line = m_fix.begin(); line != m_fix.end();)
                    if (begins(trimmed(line->text), "no ")) {
                        none.set(trimmed(line->text).substr(3), nothing_of(trimmed(line->text).substr(3)));
                        line = m_fix.erase(line);
                    } else {
                        ++line;
                    }
                current.after_fix = overlaid(overlaid(current.facts, none), read(current, m_fix));
            }
        }
        m_facts.clear();
        m_fix.clear();
        m_fixed = false;
        m_base = Json();
        m_none = Json::object();
    }

    std::string m_rule, m_recorded;
    std::vector<FactLine> m_given;  // facts of all cases
    std::vector<FactLine> m_facts, m_fix;
    bool m_fixed = false;
    Json m_base, m_none = Json::object();
    std::vector<RuleCase> m_cases;
};

}  // namespace

const std::vector<std::string>* ExpectedFinding::part(const std::string& label) const {
    for (const auto& one : parts)
        if (one.first == label) return &one.second;
    return nullptr;
}

std::vector<RuleCase> read_cases(const std::string& text, const std::string& rule,
                                 const std::string& recorded) {
    CaseReader reader(rule, recorded);
    std::istringstream stream(text);
    int number = 0;
    for (std::string line; std::getline(stream, line);) {
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
        reader.line(++number, line);
    }
    return reader.take();
}

bool text_matches(const std::string& wanted, const std::string& text) {
    std::size_t from = 0, at = 0;
    for (bool first = true;; first = false) {
        const std::size_t dots = wanted.find("...", from);
        const std::string piece = wanted.substr(from, dots == std::string::npos ? dots : dots - from);
        if (dots == std::string::npos) {  // the last piece ends the text
            if (first) return wanted == text;
            return text.size() >= at + piece.size() &&
                   text.compare(text.size() - piece.size(), piece.size(), piece) == 0;
        }
        at = first ? (text.compare(0, piece.size(), piece) == 0 ? 0 : std::string::npos)
                   : text.find(piece, at);
        if (at == std::string::npos) return false;
        at += piece.size();
        from = dots + 3;
    }
}

std::string read_whole(const std::string& file) {
    std::ifstream stream(std::filesystem::u8path(file), std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}
