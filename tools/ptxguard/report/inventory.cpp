// What was found, as short tables: the tools of each program, toolkit components, frameworks, drivers, GPUs
// and test compiles.
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "report/framework_picks.hpp"
#include "report/report.hpp"
#include "report/table.hpp"

namespace ptxguard {
namespace {

template <typename T>
std::string text_or(const Known<T>& value, const char* unknown) {
    return value ? value->text : unknown;
}

// A framework's search: each reason once with its files, and what changes the resolution.
void add_search_rows(const Pick& pick, std::vector<Row>& rows) {
    std::vector<std::pair<std::string, std::string>> groups;  // reason -> files
    for (const Pick::Loser& loser : pick.losers) {
        auto* group = first_where(groups, [&](const auto& one) { return one.first == loser.reason; });
        if (!group)
            groups.emplace_back(loser.reason, loser.path);
        else
            group->second += ", " + loser.path;
    }
    for (const auto& [reason, files] : groups) rows.push_back({"", "skipped", files + ": " + reason});
    rows.push_back({"", "changed by", pick.search->setting});
}

std::vector<Row> pick_rows(const Scenario& scenario) {
    std::vector<Row> rows;
    for (const Pick& pick : scenario.picks) {
        std::string version = pick.path.empty() ? "none" : pick.tool + " " + text_or(pick.version, "?");
        rows.push_back({pick.consumer, version, pick.path.empty() ? "-" : pick.path, pick.because});
        if (pick.search) {
            add_search_rows(pick, rows);
            continue;
        }
        if (&pick != &scenario.picks.front())
            continue;  // the other rows skip the same ones; the JSON report has them
        for (const Pick::Loser& loser : pick.losers)
            rows.push_back({"", "skipped", loser.path, loser.reason});
    }
    for (Row& row : framework_pick_rows(scenario)) rows.push_back(std::move(row));
    return rows;
}

// "nvcc, ptxas, nvlink 13.0.88; cicc 13.5.37; libdevice ?": components grouped by version.
std::string parts_text(const Toolkit& toolkit) {
    std::vector<std::pair<std::string, std::string>> groups;
    for (const Part& part : toolkit.parts) {
        std::string version = text_or(part.version, "?");
        auto* group = first_where(groups, [&](const auto& one) { return one.first == version; });
        if (!group)
            groups.emplace_back(version, to_string(part.kind));
        else
            group->second += std::string(", ") + to_string(part.kind);
    }
    std::string text;
    for (const auto& [version, names] : groups) text += (text.empty() ? "" : "; ") + names + " " + version;
    return text;
}

std::vector<Row> toolkit_rows(const Scenario& scenario) {
    std::vector<Row> rows;
    for (const Toolkit& toolkit : scenario.toolkits) {
        std::string also;
        for (const std::string& name : toolkit.names)
            if (name != toolkit.root) also += (also.empty() ? " (also " : ", ") + name;
        const Version* version = toolkit.version();
        rows.push_back({version ? version->release() : "?", toolkit.root + also + (also.empty() ? "" : ")")});
        rows.push_back({"", parts_text(toolkit)});
    }
    return rows;
}

std::string archs_text(const std::vector<Target>& targets) {
    std::string text;
    for (const Target& target : targets)
        text += (text.empty() ? "" : " ") + target.arch.sm() + (target.ptx ? "+PTX" : "");
    return text;
}

std::string cudnn_text(const Expectation& one) {
    if (one.cudnn_from && *one.cudnn_from == CudnnWay::none) return "";
    const std::string from = one.cudnn_from ? std::string(" (") + to_string(*one.cudnn_from) + ")" : "";
    return "cuDNN " + text_or(one.cudnn, "?") + from;
}

// Disagreements with the tables, and the tools and NVIDIA packages that the framework requires.
void add_details(const Expectation& one, std::vector<Row>& rows) {
    for (const Disagreement& other : one.disagreements)
        rows.push_back({"", "",
                        other.what + " " + other.used + " by " + other.used_origin.for_people() + ", " +
                            other.other + " by " + other.other_origin.for_people()});
    for (const BundledTool& tool : one.tools)
        rows.push_back({"", "", tool.tool + " " + text_or(tool.version, "?") + " for " + tool.used_for});
    std::string packages;
    for (const std::string& package : one.asks_for) packages += (packages.empty() ? "" : ", ") + package;
    if (!packages.empty()) rows.push_back({"", "", "asks for " + packages});
}

std::vector<Row> framework_rows(const Scenario& scenario, bool verbose) {
    std::vector<Row> rows;
    for (const Expectation& one : scenario.expectations) {
        std::string cuda = one.cpu_only && *one.cpu_only ? "no CUDA" : "CUDA " + text_or(one.cuda, "?");
        std::string more = cudnn_text(one);
        if (one.cxx_abi) more += ", C++11 ABI " + std::to_string(*one.cxx_abi);
        if (one.cxx_standard) more += ", C++" + std::to_string(*one.cxx_standard);
        if (one.archs) more += ", " + archs_text(*one.archs);
        if (starts_with(more, ", ")) more.erase(0, 2);
        rows.push_back({one.framework + " " + text_or(one.version, "?"), cuda, more});
        rows.push_back({"", "", one.path.empty() ? "declared" : one.path});
        if (verbose) add_details(one, rows);
    }
    return rows;
}

std::vector<Row> driver_rows(const Scenario& scenario) {
    std::vector<Row> rows;
    for (const Driver& driver : scenario.drivers) {
        std::string cuda = driver.cuda ? "CUDA " + driver.cuda->text : "";
        rows.push_back(
            {text_or(driver.version, "version unknown"), cuda, driver.origin.for_people(), driver.trouble});
    }
    for (const Gpu& gpu : scenario.gpus)
        rows.push_back(
            {gpu.name, gpu.arch ? gpu.arch->sm() : "capability unknown", gpu.origin.for_people(), ""});
    return rows;
}

// Show copies that nothing loads too: they explain what a variable would change.
std::vector<Row> cudnn_rows(const Scenario& scenario) {
    std::vector<Row> rows;
    for (const CudnnCopy& copy : scenario.cudnns) {
        std::string more =
            copy.loaded_by.empty() ? "no framework loads it" : "loaded by " + joined(copy.loaded_by, ", ");
        if (!copy.missing.empty()) more += "; without " + joined(copy.missing, ", ");
        if (copy.header && copy.version && !same_release(*copy.header, *copy.version))
            more += "; header of " + copy.header->text;
        rows.push_back({copy.version ? copy.version->text : std::to_string(copy.major) + ".?",
                        copy.cuda ? "for CUDA " + copy.cuda->text : "", copy.folder, more});
    }
    return rows;
}

std::string outcome_text(const ProbeResult& probe) {
    std::string text = to_string(probe.outcome);
    if (probe.outcome == Outcome::accepted && probe.kind == ProbeKind::ptx && probe.ptx)
        text = "PTX " + probe.ptx->text();
    if (probe.kind == ProbeKind::driver_jit && !probe.ptx && probe.accepts_up_to)
        text = "reads PTX up to " + probe.accepts_up_to->text();
    if (probe.basis == Certainty::predicted) text += " (predicted)";
    if (probe.cached) text += " (cached)";
    return text;
}

std::vector<Row> probe_rows(const Scenario& scenario) {
    static const std::map<ProbeKind, const char*> names = {{ProbeKind::ptx, "nvcc -ptx"},
                                                           {ProbeKind::assemble, "ptxas"},
                                                           {ProbeKind::object, "nvcc -c"},
                                                           {ProbeKind::link, "nvcc, link"},
                                                           {ProbeKind::driver_jit, "driver's JIT"}};
    std::vector<Row> rows;
    for (const ProbeResult& probe : scenario.probes) {
        auto name = names.find(probe.kind);
        if (name == names.end()) continue;
        std::string fed = probe.kind != ProbeKind::ptx && probe.ptx ? "PTX " + probe.ptx->text() : "";
        rows.push_back({name->second, probe.target ? probe.target->sm() : "", fed, outcome_text(probe),
                        probe.first_error});
    }
    return rows;
}

}  // namespace

std::string inventory_text(const Scenario& scenario, const ReportOptions& options) {
    const auto shows = [&](const char* what) {
        const std::vector<std::string>& show = options.show;
        return options.verbose || contains(show, what);
    };
    std::string text;
    if (shows("picks")) text += section("tools that each program uses", pick_rows(scenario));
    if (shows("inventory")) {
        text +=
            section(scenario.project.wanted ? "toolkits" : "toolkits that no build uses (--build checks one)",
                    toolkit_rows(scenario));
        text += section("frameworks", framework_rows(scenario, options.verbose));
        text += section("cuDNN", cudnn_rows(scenario));
        text += section("drivers and GPUs", driver_rows(scenario));
    }
    if (shows("compiled")) text += section("compiled", probe_rows(scenario));
    return text;
}

}  // namespace ptxguard
