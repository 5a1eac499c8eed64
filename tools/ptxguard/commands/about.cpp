// SPDX-License-Identifier: Apache-2.0
#include "commands/about.hpp"

#include <algorithm>

#include "commands/command.hpp"
#include "commands/facts.hpp"
#include "commands/run.hpp"
#include "host/output.hpp"
#include "model/json.hpp"
#include "model/text.hpp"
#include "model/version.hpp"
#include "report/table.hpp"

#ifndef PTXGUARD_VERSION
#error "PTXGUARD_VERSION comes from the build"
#endif

namespace ptxguard {
namespace {

bool is_date(std::string_view text) {
    constexpr std::string_view form = "dddd-dd-dd";
    if (text.size() != form.size() || text.substr(0, 2) != "20") return false;
    for (std::size_t i = 0; i < form.size(); ++i)
        if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != '-') return false;
    return true;
}

// The newest date in the files below this path: their sources have the date on which they were read.
std::string newest_date(const Facts& facts, const std::string& folder) {
    std::string newest;
    for (const std::string& path : facts.files(folder)) {
        const std::string text = facts.text(path).value_or("");
        for (auto at = text.find("20"); at != std::string::npos; at = text.find("20", at + 1))
            if (const std::string date = text.substr(at, 10); is_date(date)) newest = std::max(newest, date);
    }
    return newest.empty() ? "" : " (" + newest + ")";
}

// Only this member of each row, as the other ones take the time of all frameworks' checks.
std::string newest_release(const Facts& facts, const std::string& package) {
    const std::string path = "frameworks/" + package + ".json";
    const auto table = parse_json(facts.text(path).value_or(""), path);
    std::optional<Version> newest;
    if (table)
        for (const Json& row : (*table)["releases"].items())
            if (const auto version = parse_version(row["version"].as_string());
                version && (!newest || *newest <= *version))
                newest = version;
    return newest ? newest->text : "?";
}

}  // namespace

const ExitCodeWords k_exit_codes[4] = {
    {exit_ok, "nothing at or above --fail-on; an unknown counts only with --fail-on unknown"},
    {exit_findings, "findings, or what was named is not there; never with --fail-on never"},
    {exit_usage, "wrong usage or unreadable input"},
    {exit_own_failure, "internal error"}};

std::string exit_codes_text(std::size_t width) {
    std::string text = "exit codes:\n";
    for (const ExitCodeWords& one : k_exit_codes)
        text += folded_line("  " + std::to_string(one.code) + "  " + one.meaning, 5, width) + "\n";
    return text;
}

const char* program_version() { return PTXGUARD_VERSION; }

std::string version_text() {
    const Facts facts = Facts::embedded();
    std::string text = "ptxguard " PTXGUARD_VERSION "\n";
    text += "tables: CUDA to " + facts.cuda_releases().back().text + newest_date(facts, "cuda/") +
            ", drivers to " + std::to_string(facts.driver_branches().back()) +
            newest_date(facts, "drivers.json") + "\n";
    std::string frameworks;
    for (const auto& [package, name] :
         {std::pair("torch", "PyTorch"), {"tensorflow", "TensorFlow"}, {"jax", "JAX"}})
        frameworks += (frameworks.empty() ? "        " : ", ") + std::string(name) + " to " +
                      newest_release(facts, package) +
                      newest_date(facts, std::string("frameworks/") + package + ".json");
    return text + frameworks + "\n";
}

int list_gpus(const Settings& settings) {
    auto facts = facts_for(settings);
    if (!facts) return usage_error("--list-gpus", facts.trouble());
    std::vector<Row> rows;
    for (const std::string& name : facts->gpu_names())
        if (const Known<Arch> arch = facts->gpu_by_name(name)) rows.push_back({arch->sm(), name});
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
        return parse_arch(a[0])->number < parse_arch(b[0])->number;
    });
    own::print(table(rows, 0));
    return has_unread_tables(*facts) ? exit_usage : exit_ok;
}

}  // namespace ptxguard
