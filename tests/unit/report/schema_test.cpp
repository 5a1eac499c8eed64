// report-1.schema.json is generated here: the report's own members from report-1.envelope.json, the structs
// from their field lists, the meaning of members from the comments next to them in model/*.hpp. With
// PTXGUARD_UPDATE_GOLDEN in the environment the file is rewritten.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <type_traits>

#include "model/diagnosis.hpp"
#include "model/judgement.hpp"
#include "model/matrix.hpp"
#include "model/planned.hpp"
#include "model/serialize.hpp"

using namespace ptxguard;

namespace {

const std::string k_folder = "tools/ptxguard/";

// Members of structs that are not in the JSON, or under another name.
const char* const k_left_out[] = {
    "DeviceEntry.header",
    "Finding.brief",  // CheckedArea.text has it
    "Finding.about",
    "Finding.place",
    "Finding.toolkit",
    "Fix.step",
    "Finding.package",
    "Finding.entry",
    "Project.wanted",  // "unwanted"
    "Scenario.search_path_known",
    "PythonEnvironment.prefix",
    "PythonEnvironment.places",
    "BinaryFile.kinds",  // follows from the entries
    "LoadTrace.all",     // `deps` has it as "libraries"
    "LoadTrace.traced_for",
    "Pick.search",  // its members are written next to the others
    "Producer.toolkit",
    "Producer.root",
    "Producer.texts",
    "Producer.tools",
    "Consumer.driver",
    "Consumer.gpu",
    "Made.text",
    "Producer.made",
    "Lowered.version",  // "makes", "ptx"
};

struct Limit {
    const char* member;
    const char* schema;
};
// What the types of members do not express.
const Limit k_limits[] = {
    {"Finding.code", R"({"type":"string","pattern":"^CC[0-9]{3}$"})"},
    {"Finding.name", R"({"type":"string","pattern":"^[a-z0-9_]+$"})"},
    {"Finding.subject", R"({"type":"string","minLength":1})"},
    {"Finding.message", R"({"type":"string","minLength":1})"},
    {"LogDiagnosis.code", R"({"type":"string","pattern":"^CC[0-9]{3}$"})"},
    {"CheckedArea.area",
     R"({"enum":["toolkit","PTX","architectures","driver","GPU","frameworks","libraries","run-time tools"]})"},
    {"Fix.text", R"({"type":"string","minLength":1})"},
};

std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    REQUIRE_MESSAGE(file, path);
    std::ostringstream text;
    text << file.rdbuf();
    std::string all = text.str();
    all.erase(std::remove(all.begin(), all.end(), '\r'), all.end());
    return all;
}

// "Loser" of ptxguard::Pick::Loser.
template <typename T>
std::string name_of_struct() {
#ifdef _MSC_VER
    const std::string function = __FUNCSIG__, before = "name_of_struct<", after = ">";
#else
    const std::string function = __PRETTY_FUNCTION__, before = "T = ", after = ";]";
#endif
    const std::size_t begin = function.find(before) + before.size();
    const std::string type = function.substr(begin, function.find_first_of(after, begin) - begin);
    return type.substr(type.find_last_of(':') + 1);
}

// "LoadTrace.path" -> the comment next to or above the member.
using Comments = std::map<std::string, std::string>;

// The members that one line of a struct declares: "std::string used, other" -> used, other.
std::vector<std::string> declared(std::string code) {
    std::vector<std::string> names;
    if (code.find_first_of("(}") != std::string::npos || (code.back() != ';' && code.back() != ','))
        return names;
    code.back() = ',';
    for (std::size_t comma = code.find(','), at = 0; comma != std::string::npos; comma = code.find(',', at)) {
        const std::string declarator = code.substr(at, std::min(comma, code.find(" = ", at)) - at);
        names.push_back(declarator.substr(declarator.find_last_of(' ') + 1));
        at = comma + 1;
    }
    return names;
}

void add_comments(const std::string& header, Comments& comments) {
    std::vector<std::string> structs;
    std::string above, begun;
    bool in_function = false, in_list = false;
    std::istringstream lines(read(header));
    for (std::string line; std::getline(lines, line);) {
        line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
        const std::size_t slashes = line.find("//");
        std::string code = line.substr(0, slashes);
        code.erase(code.find_last_not_of(' ') + 1);
        std::string comment =
            slashes == std::string::npos ? "" : line.substr(std::min(slashes + 3, line.size()));
        if (code.compare(0, 7, "struct ") == 0 && code.back() == '{')
            structs.push_back(code.substr(7, code.size() - 9));
        if (code == "};" && !structs.empty()) structs.pop_back();
        if (code == "template <class V>") in_function = true;
        if (code.compare(0, 16, "PTXGUARD_MEMBERS") == 0) in_list = true;
        if (in_function) {
            in_function = code != "}";
        } else if (in_list) {
            in_list = code.back() != ')';
        } else if (code.empty()) {
            above = comment.empty() ? "" : above + comment + " ";
        } else if (!structs.empty() && std::string(";,{}").find(code.back()) == std::string::npos) {
            begun = code + " ";
        } else if (!structs.empty()) {
            const std::vector<std::string> names = declared(std::exchange(begun, "") + code);
            for (const std::string& name : names) {
                const std::string whole = above + comment;
                comments[structs.back() + "." + name] = whole.substr(0, whole.find_last_not_of(' ') + 1);
            }
            if (!names.empty() || code.back() == '{') above.clear();
        }
    }
}

Comments comments_of_model() {
    Comments comments;
    for (const char* header : {"arch", "binary", "diagnosis", "driver", "finding", "framework", "judgement",
                               "loading", "log_message", "matrix", "origin", "probe", "scenario", "toolkit"})
        add_comments(k_folder + "model/" + header + ".hpp", comments);
    return comments;
}

Json type(const char* name) { return Json::object().set("type", name); }
Json text(const char* pattern) { return type("string").set("pattern", pattern); }
Json reference(const std::string& name) { return Json::object().set("$ref", "#/$defs/" + name); }

// A visitor of field lists: each struct becomes a definition.
class Describer {
public:
    static constexpr bool reads = false;
    Describer(std::string name, const Comments& comments, Json& definitions)
        : m_name(std::move(name)), m_comments(comments), m_definitions(definitions) {}

    template <typename... T>
    void fields(const char* names, T&... values) {
        FieldNames name(names);
        (property(name.next(), some(values)), ...);
    }
    template <typename... T>
    void always(const char* names, T&... values) {
        FieldNames name(names);
        (required(name.next(), values), ...);
    }
    template <typename T>
    void when(const char* name, T& value, bool) {
        fields(name, value);
    }
    template <typename T>
    void inlined(std::optional<T>&) {
        const std::string outer = std::exchange(m_name, name_of_struct<T>());
        T().fields(*this);
        m_name = outer;
    }
    void entries(BinaryFile&) {
        Describer inner("DeviceEntry", m_comments, m_definitions);
        DeviceEntry entry;
        std::string section;
        entry.fields(inner, section);
        inner.finish();
        property("entries", type("array").set("items", reference("DeviceEntry")));
    }

    void finish() {
        Json definition = type("object");
        if (m_required.size() > 0) definition.set("required", m_required);
        m_definitions.set(m_name,
                          definition.set("properties", m_properties).set("additionalProperties", false));
    }
    template <typename T>
    static void describe(const Comments& comments, Json& definitions) {
        if (definitions.has(name_of_struct<T>())) return;
        definitions.set(name_of_struct<T>(), Json());  // keeps the position
        Describer describer(name_of_struct<T>(), comments, definitions);
        T value;
        value.fields(describer);
        describer.finish();
    }

private:
    void property(const std::string& name, Json schema) {
        for (const Limit& limit : k_limits)
            if (m_name + "." + name == limit.member) schema = *parse_json(limit.schema, limit.member);
        const auto comment = m_comments.find(m_name + "." + name);
        if (comment != m_comments.end() && !comment->second.empty())
            schema.set("description", comment->second);
        m_properties.set(name, std::move(schema));
    }
    template <typename T>
    void required(const std::string& name, const T& value) {
        m_required.push(name);
        property(name, whole(value));
    }
    template <typename T>
    void required(const std::string& name, const std::optional<T>&) {
        m_required.push(name);
        Json schema = whole(T());
        if (schema["type"].is_string())
            schema.set("type", Json::array().push(schema["type"]).push("null"));
        else
            schema = Json::object().set("anyOf", Json::array().push(schema).push(type("null")));
        property(name, schema);
    }
    template <typename T>
    void required(const std::string& name, const Known<T>& known) {
        required(name, known.value);
        property(name + "_origin", whole(known.origin));
    }

    template <typename T>
    Json some(const T& value) {
        return std::is_same_v<T, bool> ? Json::object().set("const", true) : whole(value);
    }
    Json whole(const std::string&) { return type("string"); }
    Json whole(const LoadRule&) { return type("string"); }
    Json whole(const Version&) { return type("string"); }
    Json whole(const PtxVersion&) { return text("^[0-9]+\\.[0-9]+$"); }
    Json whole(const Arch&) { return text("^sm_[0-9]{1,3}[af]?$"); }
    Json whole(bool) { return type("boolean"); }
    Json whole(double) { return type("number").set("minimum", 0); }
    template <typename T>
    Json whole(const std::optional<T>&) {
        return whole(T());
    }
    template <typename T>
    Json whole(const Known<T>& known) {
        whole(known.origin);
        return reference("known");
    }
    template <typename T>
    Json whole(const std::vector<T>&) {
        return type("array").set("items", whole(T()));
    }
    template <typename T>
    Json whole(const T& value) {
        if constexpr (std::is_enum_v<T>) {
            Json words = Json::array();
            for (int i = 0; *to_string(static_cast<T>(i)); ++i) words.push(to_string(static_cast<T>(i)));
            return Json::object().set("enum", words);
        } else if constexpr (std::is_integral_v<T>) {
            return std::is_unsigned_v<T> ? type("integer").set("minimum", 0) : type("integer");
        } else {
            (void)value;
            describe<T>(m_comments, m_definitions);
            return reference(name_of_struct<T>());
        }
    }

    std::string m_name;
    const Comments& m_comments;
    Json& m_definitions;
    Json m_required = Json::array(), m_properties = Json::object();
};

template <typename... T>
void describe(const Comments& comments, Json& definitions) {
    (Describer::describe<T>(comments, definitions), ...);
}

// With versions as plain text, and the members that `inspect` and `deps` always write
// (report/files_json.cpp).
void flatten(Json& definitions, const char* name, std::initializer_list<const char*> always) {
    Json definition = definitions[name], properties = definition["properties"],
         required = definition["required"];
    for (const char* member : {"version", "cuda"}) {
        if (!properties.has(member)) continue;
        Json schema = Json::object().set("type", Json::array().push("string").push("null"));
        if (const Json* comment = properties[member].find("description")) schema.set("description", *comment);
        properties.set(member, schema);
        properties.set(std::string(member) + "_origin", reference("Origin"));
    }
    for (const char* member : always) {
        if (std::string(member) == "rule" || std::string(member) == "undefined") {
            Json schema = properties[member];
            properties.set(member, schema.set("type", Json::array().push(schema["type"]).push("null")));
        }
        required.push(member);
    }
    definitions.set(name, definition.set("properties", properties).set("required", required));
}

Json schema(const Comments& comments) {
    Json whole = *parse_json(read(k_folder + "report/report-1.envelope.json"), "envelope");
    Json definitions = whole["$defs"];
    describe<Finding, LogDiagnosis, OtherFault, Counts, Plan, PlannedSet, CheckedArea, Acceptance, Toolkit,
             Selector, EnvironmentEntry, Pick, Driver, Gpu, CudnnCopy, DroppedSources, Project, Expectation,
             ProbeResult, Producer, Consumer, Cell, BinaryFile, LoadTrace, NativeModule>(comments,
                                                                                         definitions);
    flatten(definitions, "LoadLoser", {"rule", "version"});
    flatten(definitions, "LoadedFile", {"needed_by", "rule", "version", "losers", "undefined"});
    flatten(definitions, "BinaryFile", {"runs_on"});
    return whole.set("$defs", definitions);
}

// An object or a list is one line if it is short; members of structs and lists of words always.
std::string pretty(const Json& json, const std::string& indent = "") {
    const std::string line = to_text(json, -1);
    const bool is_member = json.has("description") && !json.has("properties");
    const bool is_words = json.is_array() && json.size() > 0 && json.items()[0].is_string();
    if (line.size() + indent.size() < 118 || json.size() == 0 || is_member || is_words) return line;
    const std::string inner = indent + "  ", glue = ",\n" + inner;
    std::string text;
    for (const Json& item : json.items()) text += (text.empty() ? "" : glue) + pretty(item, inner);
    for (const Json::Member& member : json.members())
        text += (text.empty() ? "" : glue) + to_text(member.first, -1) + ": " + pretty(member.second, inner);
    return (json.is_array() ? "[\n" : "{\n") + inner + text + "\n" + indent + (json.is_array() ? "]" : "}");
}

}  // namespace

TEST_CASE("the schema of the reports matches the field lists") {
    const std::string path = k_folder + "report/report-1.schema.json";
    const std::string text = pretty(schema(comments_of_model())) + "\n";
    if (std::getenv("PTXGUARD_UPDATE_GOLDEN")) std::ofstream(path, std::ios::binary) << text;
    CHECK_MESSAGE(read(path) == text,
                  "run this test with PTXGUARD_UPDATE_GOLDEN=1 to write the schema again");
}

TEST_CASE("every member of a struct is in its field list, or among those that are left out") {
    const Comments comments = comments_of_model();
    Json definitions = schema(comments)["$defs"];
    describe<Scenario, Matrix>(comments, definitions);
    for (const auto& commented : comments) {
        const std::string& member = commented.first;
        const std::size_t dot = member.find('.');
        const Json* definition = definitions.find(member.substr(0, dot));
        const bool is_left_out =
            std::find(std::begin(k_left_out), std::end(k_left_out), member) != std::end(k_left_out);
        if (definition && !is_left_out)
            CHECK_MESSAGE((*definition)["properties"].has(member.substr(dot + 1)), member,
                          " is not in its field list");
    }
}
