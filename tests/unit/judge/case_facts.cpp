// Lines of facts -> Json. A line is a word of the table below, its values in order, then `member=value`; a
// bare member is true. Indented lines, and what follows " | ", belong to the previous fact if it accepts the
// word.
// SPDX-License-Identifier: Apache-2.0
#include "case_facts.hpp"

#include <algorithm>
#include <sstream>

#include "case_members.hpp"
#include "case_words.hpp"

using namespace ptxguard;

namespace {

struct Token {
    std::string key;  // empty: a value in its order
    std::string text;
    bool quoted = false;
};

struct Fact {
    int line = 0;
    std::size_t indent = 0;
    std::string word;
    std::vector<Token> tokens;
};

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);)
        if (!part.empty()) parts.push_back(part);
    return parts;
}

const Word* find_word(const std::string& inside, const std::string& word) {
    for (const Word& known : k_words)
        if (inside == known.inside && word == known.word) return &known;
    return nullptr;
}

// Reads one token; false if a quote is not closed.
bool read_token(const std::string& text, std::size_t& at, Token& token) {
    std::string* part = &token.text;
    for (; at < text.size() && text[at] != ' '; ++at) {
        const bool begins = token.text.empty() && !token.quoted;
        if (text[at] == '"' && begins) {
            token.quoted = true;
            for (++at; at < text.size() && text[at] != '"'; ++at) {
                if (text[at] == '\\' && at + 1 < text.size())
                    *part += text[++at] == 'n' ? '\n' : text[at];
                else
                    *part += text[at];
            }
            if (at >= text.size()) return false;
        } else if (text[at] == '=' && token.key.empty() && !token.quoted && !begins &&
                   token.text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.+-") ==
                       std::string::npos &&
                   token.text[0] != '-') {
            token.key.swap(token.text);
        } else {
            *part += text[at];
        }
    }
    return true;
}

// The facts of one line: "driver 535.104.05 | gpu H100 sm_90".
std::string read_line(const FactLine& line, std::vector<Fact>& facts) {
    std::size_t at = line.text.find_first_not_of(' ');
    const std::size_t indent = at;
    Fact fact{line.number, indent, "", {}};
    for (; at < line.text.size(); ++at) {
        if (line.text[at] == ' ') continue;
        Token token;
        if (!read_token(line.text, at, token)) return "a quote does not end";
        if (token.text == "|" && !token.quoted) {
            facts.push_back(fact);
            fact = Fact{line.number, indent, "", {}};
        } else if (fact.word.empty() && fact.tokens.empty() && token.key.empty()) {
            fact = {line.number, indent, token.text, {}};
        } else {
            fact.tokens.push_back(token);
        }
    }
    if (fact.word.empty() && !facts.empty())  // only `member=value`: continues the previous fact
        facts.back().tokens.insert(facts.back().tokens.end(), fact.tokens.begin(), fact.tokens.end());
    else
        facts.push_back(fact);
    return "";
}

// An object whose members are set one by one; "version.origin.text" turns a plain value into one with an
// origin.
Json with(const Json& object, const std::string& path, Json value) {
    const std::size_t dot = path.find('.');
    Json result = object.is_object() ? object : Json::object();
    if (dot == std::string::npos) return result.set(path, std::move(value));
    const std::string step = path.substr(0, dot), rest = path.substr(dot + 1);
    Json inner = result[step];
    if (rest.compare(0, 7, "origin.") == 0 && !inner.is_object()) inner = Json::object().set("value", inner);
    return result.set(step, with(inner, rest, std::move(value)));
}

// "80", "90a-real", "120-virtual", as CMake writes them.
Json target_json(const std::string& text) {
    const std::size_t dash = text.find('-');
    const std::string kind = dash == std::string::npos ? "" : text.substr(dash + 1);
    return Json::object()
        .set("arch", "sm_" + text.substr(0, dash))
        .set("real", kind != "virtual")
        .set("ptx", kind != "real");
}

class Builder {
public:
    Builder(const std::vector<Fact>& facts, std::string& trouble) : m_facts(facts), m_trouble(trouble) {}

    Json scenario() {
        Json scenario = Json::object();
        while (m_at < m_facts.size()) {
            const Fact& fact = m_facts[m_at];
            if (const Word* word = find_word("", fact.word)) {
                take(scenario, *word, "");
            } else {
                fail(fact, "unknown word '" + fact.word + "'");
                ++m_at;
            }
        }
        return scenario;
    }

private:
    void fail(const Fact& fact, const std::string& what) {
        if (m_trouble.empty()) m_trouble = std::to_string(fact.line) + ": " + what;
    }

    // The current fact and those that belong to it, into `owner`, whose members' paths begin with `outer`.
    void take(Json& owner, const Word& word, const std::string& outer) {
        const Fact& fact = m_facts[m_at++];
        const std::string member = word.member, path = outer + member + (member.empty() ? "" : ".");
        const bool one_of_list = member.size() > 2 && member.compare(member.size() - 2, 2, "[]") == 0;
        const std::string name = one_of_list ? member.substr(0, member.size() - 2) : member;
        Json object = one_of_list ? *parse_json(word.defaults, "defaults") : at_path(owner, name);
        if (fact.word == "arch" || fact.word == "targets" || fact.word == "archs")
            architectures(fact, object);
        else
            members(fact, word, path, object);
        while (m_at < m_facts.size()) {
            const Fact& next = m_facts[m_at];
            const Word* inner = find_word(fact.word, next.word);
            if (!inner || (next.line != fact.line && next.indent <= fact.indent)) break;
            take(object, *inner, path);
        }
        if (fact.word == "toolkit") object = with_parts(object, owner[name].size());
        if (fact.word == "driver" && !object.has("id"))
            object.set("id", "driver" + std::to_string(owner[name].size() + 1));
        if (!one_of_list) {
            owner = name.empty() ? object : with(owner, name, object);
            return;
        }
        Json list = owner[name].is_array() ? owner[name] : Json::array();
        owner.set(name, list.push(object));
    }

    static Json at_path(const Json& owner, const std::string& path) {
        Json object = owner;
        for (const std::string& step : split(path, '.')) object = Json(object[step]);
        return object.is_object() ? object : Json::object();
    }

    // arch 80 90-real: the request, as text too; targets: without the text. CMake's keywords stay keywords.
    void architectures(const Fact& fact, Json& project) {
        Json targets = Json::array(), words = Json::array();
        std::string text;
        const bool named = fact.word == "archs" && !fact.tokens.empty();  // archs CUDAARCHS 80 90
        if (named) project.set("name", fact.tokens.front().text);
        for (std::size_t i = named ? 1 : 0; i < fact.tokens.size(); ++i) {
            const Token& token = fact.tokens[i];
            text += (text.empty() ? "" : ";") + token.text;
            if (token.text[0] >= '0' && token.text[0] <= '9')
                targets.push(target_json(token.text));
            else
                words.push(token.text);
        }
        Json archs = Json::object().set("targets", targets);
        if (words.size() > 0) archs.set("words", words);
        if (fact.word == "arch") project.set("archs_text", text);
        project.set("archs", archs.set("text", text));
    }

    void members(const Fact& fact, const Word& word, const std::string& path, Json& object) {
        const std::vector<std::string> positions = split(word.positions, ' ');
        std::size_t position = 0;
        for (const Token& token : fact.tokens) {
            if (!token.key.empty()) {
                set(fact, object, token.key, token, path + token.key);
            } else if (fact.word == "toolkit" && token.text == "empty") {
                object.set("parts", Json::array());
            } else if (position < positions.size()) {
                if (token.text != "-" || token.quoted)
                    set(fact, object, positions[position], token, path + positions[position]);
                ++position;
            } else if (token.text == "found") {
                object.set("declared", false);
            } else if (fact.word == "toolkit" && token.text == "whole") {
                for (const char* kind : k_whole_toolkit) add_part(object, kind, "");
            } else if (fact.word == "toolkit" && is_part(token.text)) {
                add_part(object, token.text, "");
            } else {
                object = with(object, token.text, true);
            }
        }
    }

    void set(const Fact& fact, Json& object, const std::string& key, const Token& token,
             const std::string& path) {
        const std::string member = key.substr(key.find_last_of('.') + 1);
        if (fact.word == "toolkit" && is_part(key)) return add_part(object, key, token.text);
        if (member == "archs") {
            Json list = Json::array();
            for (const std::string& arch : split(token.text, ','))
                list.push(fact.word == "framework" || fact.word == "newest" || fact.word == "module"
                              ? target_json(arch)
                              : Json("sm_" + arch));
            object = with(object, key, list);
        } else if (case_members().lists.count(path)) {
            Json list = object[key].is_array() ? object[key] : Json::array();
            if (token.quoted)
                list.push(token.text);
            else
                for (const std::string& one : split(token.text, ',')) list.push(one);
            object = with(object, key, list);
        } else if (!token.quoted && case_members().numbers.count(path) && !token.text.empty() &&
                   token.text.find_first_not_of("0123456789") == std::string::npos) {
            object = with(object, key, static_cast<std::int64_t>(std::stoll(token.text)));
        } else if (!token.quoted && (token.text == "true" || token.text == "false")) {
            object = with(object, key, token.text == "true");
        } else {
            object =
                with(object, key, key == "kind" && fact.word == "part" ? part_of(token.text) : token.text);
        }
    }

    static std::string part_of(std::string word) {
        std::replace(word.begin(), word.end(), '-', ' ');
        return word;
    }
    static bool is_part(const std::string& word) { return from_word<PartKind>(part_of(word)).has_value(); }

    static void add_part(Json& toolkit, const std::string& word, const std::string& version) {
        Json part = Json::object().set("kind", part_of(word));
        if (!version.empty()) part.set("version", version);
        Json parts = toolkit["parts"].is_array() ? toolkit["parts"] : Json::array();
        toolkit.set("parts", parts.push(part));
    }

    // Where a part is in a toolkit with NVIDIA's layout.
    static std::string place_of(const std::string& kind, const Json& toolkit, const std::string& version) {
        const bool flat = toolkit["layout"].as_string() != "nvidia";
        const std::string lib = flat ? "/lib/" : "/lib64/";
        std::string major = version.substr(0, version.find('.'));
        if (kind == "cicc") return "/nvvm/bin/cicc";
        if (kind == "crt headers") return "/include/crt/host_config.h";
        if (kind == "runtime headers") return "/include/cuda_runtime_api.h";
        if (kind == "libdevice") return "/nvvm/libdevice/libdevice.10.bc";
        if (kind == "nvvm") return flat ? "/lib/libnvvm.so.4" : "/nvvm/lib64/libnvvm.so";
        if (kind == "cudart" && major == "11") major = "11.0";
        const std::optional<PartKind> known = from_word<PartKind>(kind);
        if (known && !is_program(*known)) return lib + "lib" + kind + ".so." + major;
        return "/bin/" + kind;
    }

    // Parts named twice are one, the later line counts; versions and paths that are not given follow the
    // toolkit's.
    static Json with_parts(Json toolkit, std::size_t before) {
        std::vector<Json> parts = toolkit["parts"].items();
        const std::string version = toolkit["version"].as_string(), root = toolkit["root"].as_string();
        if (!toolkit.has("parts"))
            for (int i = 0; i < 3; ++i) parts.push_back(Json::object().set("kind", k_whole_toolkit[i]));
        std::vector<Json> merged;
        for (const Json& part : parts) {
            auto same = std::find_if(merged.begin(), merged.end(), [&](const Json& other) {
                return other["kind"].as_string() == part["kind"].as_string();
            });
            if (same == merged.end()) same = merged.insert(same, Json::object());
            for (const Json::Member& member : part.members()) same->set(member.first, member.second);
        }
        Json list = Json::array();
        for (Json& part : merged) {
            const std::string kind = part["kind"].as_string();
            if (!part.has("version") && !version.empty() && kind != "libdevice") part.set("version", version);
            if (part["version"].as_string() == "none") part.set("version", Json());
            if (!part.has("path"))
                part.set("path", root + place_of(kind, toolkit, part["version"].as_string()));
            list.push(part);
        }
        Json result = Json::object();
        for (const Json::Member& member : toolkit.members())
            if (member.first != "version" && member.first != "parts") result.set(member.first, member.second);
        if (!result.has("id")) result.set("id", "toolkit" + std::to_string(before + 1));
        return result.set("parts", list);
    }

    const std::vector<Fact>& m_facts;
    std::string& m_trouble;
    std::size_t m_at = 0;
};

}  // namespace

Result<Json> facts_json(const std::vector<FactLine>& lines, const std::string& file) {
    std::vector<Fact> facts;
    std::string trouble;
    for (const FactLine& line : lines) {
        const std::string wrong = read_line(line, facts);
        if (!wrong.empty()) return Trouble{file + ":" + std::to_string(line.number), wrong, ""};
    }
    const Json json = Builder(facts, trouble).scenario();
    if (!trouble.empty()) return Trouble{file + ":" + trouble, "", ""};
    return json;
}

Json overlaid(const Json& base, const Json& changes) {
    Json result = base.is_object() ? base : Json::object();
    for (const Json::Member& member : changes.members()) {
        if (member.first == "project" && member.second.is_object()) {
            Json project = result["project"].is_object() ? result["project"] : Json::object();
            for (const Json::Member& inner : member.second.members()) project.set(inner.first, inner.second);
            result.set("project", project);
        } else {
            result.set(member.first, member.second);
        }
    }
    return result;
}
