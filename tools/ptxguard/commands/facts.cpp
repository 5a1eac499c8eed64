// `ptxguard facts`: prints the tables as text or JSON. Without a name it prints an overview, and checks every
// file.
// SPDX-License-Identifier: Apache-2.0
#include "commands/facts.hpp"

#include "commands/command.hpp"
#include "commands/run.hpp"
#include "facts/check.hpp"
#include "host/host.hpp"
#include "host/output.hpp"
#include "host/paths.hpp"
#include "model/text.hpp"
#include "report/report.hpp"
#include "report/table.hpp"

namespace ptxguard {
namespace {

Json text_or_null(const std::optional<Version>& version) { return version ? Json(version->text) : Json(); }
Json text_or_null(const std::optional<PtxVersion>& version) {
    return version ? Json(version->text()) : Json();
}
Json number_or_null(const std::optional<int>& number) { return number ? Json(*number) : Json(); }

Json names_of(const std::vector<Arch>& archs) {
    Json names = Json::array();
    for (Arch arch : archs) names.push(arch.sm());
    return names;
}

Json release_rows(const Facts& facts) {
    Json rows = Json::array();
    for (const Version& version : facts.cuda_releases()) {
        const CudaRelease* release = facts.cuda(version);
        if (!release) continue;
        Json updates = Json::array();
        for (const Version& update : release->updates) updates.push(update.text);
        const HostCompilerLimits& limits = release->host_compilers;
        rows.push(Json::object()
                      .set("release", release->release.release())
                      .set("ptx_max", text_or_null(release->ptx_max))
                      .set("driver_linux", text_or_null(release->driver_of_release_linux))
                      .set("driver_windows", text_or_null(release->driver_of_release_windows))
                      .set("gcc_max", number_or_null(limits.gcc_max))
                      .set("clang_max", number_or_null(limits.clang_max))
                      .set("msvc_ver_min", number_or_null(limits.msvc_ver_min))
                      .set("msvc_ver_below", number_or_null(limits.msvc_ver_below))
                      .set("updates", std::move(updates))
                      .set("archs", names_of(release->ptxas_archs))
                      .set("source", release->origin.for_people()));
    }
    return rows;
}

Json driver_rows(const Facts& facts) {
    Json rows = Json::array();
    for (int number : facts.driver_branches()) {
        const auto version = parse_version(std::to_string(number));
        const DriverBranch* branch = version ? facts.driver_branch(*version) : nullptr;
        if (!branch) continue;
        rows.push(Json::object()
                      .set("branch", branch->branch)
                      .set("cuda", text_or_null(branch->cuda))
                      .set("ptx_max", text_or_null(branch->ptx_max))
                      .set("first_linux", text_or_null(branch->first_linux))
                      .set("first_windows", text_or_null(branch->first_windows))
                      .set("source", branch->origin.for_people()));
    }
    return rows;
}

Json arch_rows(const Facts& facts) {
    Json rows = Json::array();
    for (Arch arch : facts.archs()) {
        const ArchFacts* row = facts.arch(arch);
        if (!row) continue;
        rows.push(Json::object()
                      .set("arch", arch.sm())
                      .set("cc", arch.cc())
                      .set("generation", row->generation)
                      .set("first_toolkit", text_or_null(row->first_toolkit))
                      .set("last_toolkit", text_or_null(row->last_toolkit))
                      .set("first_ptx", text_or_null(row->first_ptx))
                      .set("source", row->origin.for_people()));
    }
    return rows;
}

Json framework_rows(const Facts& facts) {
    Json rows = Json::array();
    for (const std::string& file : facts.files()) {
        if (!starts_with(file, "frameworks/")) continue;
        const std::string package = file.substr(11, file.size() - 11 - 5);
        const std::vector<Version> releases = facts.framework_releases(package);
        if (releases.empty()) continue;
        rows.push(Json::object()
                      .set("package", package)
                      .set("releases", releases.size())
                      .set("first", releases.front().text)
                      .set("last", releases.back().text)
                      .set("source", "facts/" + file));
    }
    return rows;
}

Json known_bad_rows(const Facts& facts) {
    Json rows = Json::array();
    for (const KnownBad& bad : facts.known_bad())
        rows.push(Json::object()
                      .set("id", bad.id)
                      .set("component", bad.component)
                      .set("level", to_string(bad.level))
                      .set("effect", bad.effect)
                      .set("source", bad.origin.for_people()));
    return rows;
}

struct FactTable {
    const char* name;
    const char* about;
    std::vector<const char*> columns;  // of the text; the first names the row
    Json (*rows)(const Facts&);
};

const std::vector<FactTable>& fact_tables() {
    static const std::vector<FactTable> tables = {
        {"releases",
         "CUDA releases: newest PTX, architectures, drivers, host compilers",
         {"release", "ptx_max", "driver_linux", "driver_windows", "gcc_max", "clang_max", "msvc_ver_below"},
         release_rows},
        {"drivers",
         "driver branches: CUDA release and newest PTX that the JIT reads",
         {"branch", "cuda", "ptx_max", "first_linux", "first_windows"},
         driver_rows},
        {"archs",
         "architectures: first and last toolkit, first PTX version",
         {"arch", "cc", "first_toolkit", "last_toolkit", "first_ptx", "generation"},
         arch_rows},
        {"frameworks",
         "releases of frameworks that are listed",
         {"package", "releases", "first", "last"},
         framework_rows},
        {"known-bad", "versions with known faults", {"id", "component", "level", "effect"}, known_bad_rows},
    };
    return tables;
}

std::string cell(const Json& value) {
    if (value.is_null()) return "-";
    if (value.is_string()) return value.as_string();
    if (!value.is_array()) return to_text(value, -1);
    std::string text;
    for (const Json& item : value.items()) text += (text.empty() ? "" : " ") + cell(item);
    return text.empty() ? "-" : text;
}

std::string text_of(const FactTable& shown, const Json& rows) {
    std::vector<Row> lines{Row(shown.columns.begin(), shown.columns.end())};
    for (const Json& row : rows.items()) {
        Row line;
        for (const char* column : shown.columns) line.push_back(cell(row[column]));
        lines.push_back(std::move(line));
    }
    return table(lines, 0);
}

int show_overview(const Settings& settings, const Facts& facts) {
    Json counts = Json::object(), troubles = Json::array();
    std::vector<Row> lines;
    for (const FactTable& shown : fact_tables()) {
        const std::size_t rows = shown.rows(facts).size();
        counts.set(shown.name, rows);
        lines.push_back({shown.name, std::to_string(rows), shown.about});
    }
    std::string text =
        table(lines, 0) +
        "\nptxguard facts TABLE shows one, facts ROW (13.0, 535, sm_90a) a row with its sources\n";
    const std::vector<Trouble> wrong = check_facts(facts);
    for (const Trouble& trouble : wrong) {
        troubles.push(trouble.text());
        text += "wrong: " + trouble.text() + "\n";
    }
    const Json payload = Json::object().set("rows", std::move(counts)).set("troubles", std::move(troubles));
    return deliver_facts(settings, wrong.empty() ? Verdict::pass : Verdict::fail, "tables", payload, text,
                         wrong.empty() ? exit_ok : exit_findings);
}

// "13.0" is a release, "535" and "535.104.05" a driver, "sm_90a" an architecture; anything else is looked up
// in the first columns.
bool names_row(const FactTable& asked, const Json& row, const std::string& word) {
    const std::string name = cell(row[asked.columns.front()]);
    if (name == word) return true;
    const auto version = parse_version(word);
    if (!version) return false;
    constexpr int k_first_driver = 300;
    if (std::string(asked.name) == "releases") return version->release() == name;
    return std::string(asked.name) == "drivers" && version->major() > k_first_driver &&
           std::to_string(version->major()) == name;
}

std::optional<Json> find_row(const Facts& facts, const std::string& word, std::string& table_name) {
    for (const FactTable& asked : fact_tables()) {
        const Json rows = asked.rows(facts);
        for (const Json& row : rows.items()) {
            if (!names_row(asked, row, word)) continue;
            table_name = asked.name;
            return row;
        }
    }
    return std::nullopt;
}

int show(const Settings& settings, const Facts& facts) {
    Json payload = Json::object();
    std::string text;
    for (const std::string& word : settings.arguments) {
        const FactTable* shown = nullptr;
        for (const FactTable& one : fact_tables())
            if (word == one.name) shown = &one;
        std::string name = word;
        Json rows = shown ? shown->rows(facts) : Json::array();
        if (!shown) {
            const auto row = find_row(facts, word, name);
            if (!row) {
                return usage_error(
                    "facts", {"'" + word + "'",
                              "is neither a table nor a row" + did_you_mean(word, words_of_facts()), ""});
            }
            rows.push(*row);
        }
        if (!text.empty()) text += "\n";
        if (shown) {
            text += text_of(*shown, rows);
        } else {
            std::vector<Row> lines;
            for (const auto& [key, value] : rows.items().front().members())
                lines.push_back({key, cell(value)});
            text += table(lines, 0);
        }
        for (const Json& row : payload[name].items()) rows.push(row);
        payload.set(name, std::move(rows));
    }
    return deliver_facts(settings, Verdict::pass, "tables", payload, text, exit_ok);
}

}  // namespace

int deliver_facts(const Settings& settings, Verdict verdict, const char* member, const Json& payload,
                  const std::string& text, int exit_code) {
    Report report;
    report.command = "facts";
    report.judgement.verdict = verdict;
    return deliver_members(settings, report, Json::object().set(member, payload), text, exit_code);
}

std::vector<std::string> words_of_facts() {
    std::vector<std::string> names;
    for (const FactTable& one : fact_tables()) names.push_back(one.name);
    return names;
}

int run_facts(const Settings& settings) {
    const std::string format = settings.one("format", "text");
    if (format != "text" && format != "json")
        return usage_error("facts", Trouble{"--format " + format, "is not for facts: text or json", ""});
    auto facts = facts_for(settings);
    if (!facts) return usage_error("facts", facts.trouble());
    const int code = settings.has("verify")       ? verify_facts(settings, *facts)
                     : settings.arguments.empty() ? show_overview(settings, *facts)
                                                  : show(settings, *facts);
    return has_unread_tables(*facts) && code != exit_own_failure ? exit_usage : code;
}

// Reads the JSON files below --facts DIR, with the same folders as tools/ptxguard/facts/.

namespace {

constexpr int k_max_depth = 4;

std::optional<Trouble> collect(const Host& host, const std::string& folder, const std::string& prefix,
                               int depth, Facts::Files& files) {
    auto entries = host.list(folder);
    if (!entries) return entries.trouble();
    for (const DirectoryEntry& entry : *entries) {
        std::string path = join_path(folder, entry.name);
        if (entry.type == FileType::directory && depth < k_max_depth) {
            if (auto trouble = collect(host, path, prefix + entry.name + "/", depth + 1, files))
                return trouble;
        } else if (entry.type == FileType::regular && ends_with(entry.name, ".json")) {
            auto text = host.read(path);
            if (!text) return text.trouble();
            files[prefix + entry.name] = std::move(*text);
        }
    }
    return std::nullopt;
}

}  // namespace

Result<Facts> facts_for(const Settings& settings) {
    if (!settings.has("facts")) return Facts::embedded();
    Facts::Files files;
    std::string folder = settings.one("facts");
    if (auto trouble = collect(*real_host(), folder, "", 0, files)) return *trouble;
    if (files.empty()) return Trouble{"--facts " + folder, "contains no .json file", ""};
    Facts facts = Facts::with(std::move(files));
    check_facts(facts);  // reads all of them: a broken one is reported whatever this run needs
    return facts;
}

bool has_unread_tables(const Facts& facts) {
    const std::vector<Trouble> troubles = facts.troubles();
    for (const Trouble& trouble : troubles) own::complain("ptxguard: " + trouble.text());
    return !troubles.empty();
}

}  // namespace ptxguard
