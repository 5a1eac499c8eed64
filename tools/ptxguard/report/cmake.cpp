// The results of a check as a CMake script, for find_package(CudaConsistent):
//   verdict      pass, fail, unknown, not_checked       summary     "fail (1 error)"
//   checked      what was found right and not checked   blocks      the findings, indented for message()
//   first        the most important message, first_code its code; headlines: a line for each other error and
//   warning findings     codes of the findings                  later       errors that a later call of this
//   configure decides nvcc, nvcc_version, ptxas, ptx_version, architectures_ok, inputs  as in the report's
//   member `build` found        components that are there              missing     why one of them is not the
//   version that is asked for runs_on      TRUE if a driver or GPU is known, which runs the result
// Each is set in any case. Lists leave out what a list of CMake cannot hold.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "model/visible.hpp"
#include "report/build.hpp"

namespace ptxguard {
namespace {

// A bracket argument: nothing in it is evaluated.
std::string argument(const std::string& value) {
    std::string mark = "=";
    while (value.find("]" + mark) != std::string::npos) mark += '=';
    return "[" + mark + "[\n" + value + "]" + mark + "]";
}

void set_value(std::string& script, const char* name, const std::string& value) {
    script += std::string("set(") + name + " " + argument(value) + ")\n";
}

void set_list(std::string& script, const char* name, const std::vector<std::string>& values) {
    std::string joined;
    for (const std::string& value : values) {
        if (value.empty() || value.find_first_of("[];") != std::string::npos || value.back() == '\\')
            continue;
        joined += (joined.empty() ? "" : ";") + value;
    }
    set_value(script, name, joined);
}

// message() re-wraps lines that are not indented.
std::string indented(const std::string& text) {
    std::string result;
    for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
        end = std::min(text.find('\n', begin), text.size());
        result += (begin == 0 ? "  " : "\n  ") + text.substr(begin, end - begin);
    }
    return result.substr(0, result.find_last_not_of(" \n") + 1);
}

// The message, with its place where another finding has the same.
std::string headline(const Judgement& judgement, const Finding& finding) {
    const auto says_the_same = [&](const Finding& other) { return other.message == finding.message; };
    const bool alone =
        std::count_if(judgement.findings.begin(), judgement.findings.end(), says_the_same) == 1;
    const bool named = !alone && !finding.scenario.empty();
    return visible(finding.message + (named ? ": " + finding.scenario : std::string()));
}

std::string headlines_beside(const Judgement& judgement, const Finding* first) {
    std::string lines;
    for (const Finding& finding : judgement.findings)
        if (&finding != first && !finding.suppressed && !finding.caused_by && finding.level >= Level::warning)
            lines += "\n  " + finding.code + ": " + headline(judgement, finding);
    return lines;
}

// ": nvcc 13.0.88 at /usr/local/cuda, PTX 9.0; not checked: driver, GPU". Lists, and the drivers and GPUs
// that wait for them, are no omission if a later moment judges them.
std::string checked_text(const std::vector<CheckedArea>& checklist, bool lists_later) {
    std::string found, open;
    for (const CheckedArea& area : checklist) {
        const bool used = area.area == "toolkit" && area.state == AreaState::warning;
        if (area.state == AreaState::ok || used) found += (found.empty() ? ": " : ", ") + visible(area.brief);
        const bool waits =
            lists_later && (area.area == "architectures" || (!area.brief.empty() && area.codes.empty()));
        if (area.state == AreaState::not_checked && !waits)
            open += (open.empty() ? "; not checked: " : ", ") + area.area;
    }
    return found + open;
}

// "==2.11" and "<=2.11" admit 2.11.0+cu130 too.
bool admits(const Component::Bound& bound, const Version& version) {
    const std::string plain = version.without_local();
    const bool same =
        version.text == bound.version.text || starts_with(plain + ".", bound.version.text + ".");
    const Version compared = parse_version(plain).value_or(version);
    if (bound.relation == "==") return same;
    if (same) return bound.relation.back() == '=';
    return bound.relation[0] == '<' ? compared < bound.version : compared > bound.version;
}

// Each installed version of a component; without one, its files do not say it.
std::vector<std::optional<Version>> versions_of(const std::string& name, const Scenario& scenario) {
    std::vector<std::optional<Version>> versions;
    const auto add = [&](const Known<Version>& version) {
        versions.push_back(version ? std::optional<Version>(*version) : std::nullopt);
    };
    const std::string plain = lower(name);
    if (plain == "cudnn")
        for (const CudnnCopy& copy : scenario.cudnns) add(copy.version);
    if (const Toolkit* toolkit = scenario.build_toolkit(); toolkit && plain == "cublas")
        if (const Part* part = toolkit->part(PartKind::cublas)) add(part->version);
    for (const Expectation& one : scenario.expectations)
        if (lower(one.framework) == plain && one.version) add(one.version);
    return versions;
}

void set_components(std::string& script, const Scenario& scenario, const std::vector<Component>& components) {
    std::vector<std::string> found;
    std::string missing;
    for (const Component& component : components) {
        std::string others;
        bool is_found = false;
        const std::vector<std::optional<Version>> versions = versions_of(component.name, scenario);
        for (const std::optional<Version>& version : versions) {
            const auto fits = [&](const Component::Bound& bound) {
                return version && admits(bound, *version);
            };
            is_found = is_found || all_of(component.bounds, fits);
            others += (others.empty() ? "" : " and ") + (version ? version->text : "of unknown version");
        }
        if (is_found)
            found.push_back(component.text);
        else if (!versions.empty() && missing.empty())
            missing = component.name + " " + others + (versions.size() == 1 ? " is" : " are") +
                      " installed, " + component.text + " is asked for";
    }
    set_list(script, "found", found);
    set_value(script, "missing", visible(missing));
}

}  // namespace

std::string cmake_script(const Report& report, const ReportOptions& options) {
    const Scenario& scenario = report.scenarios.front();
    const Judgement& judgement = report.judgement;
    const BuildAnswer answer = build_answer(scenario, judgement);
    std::string script = "# ptxguard: results of a check\n";
    set_value(script, "verdict", to_string(judgement.verdict));
    set_value(script, "summary", verdict_text(judgement));
    set_value(script, "checked", checked_text(judgement.checklist, options.lists_later));
    set_value(script, "blocks", indented(findings_text(report, options)));
    set_value(script, "first", answer.first ? headline(judgement, *answer.first) : "");
    set_value(script, "first_code", answer.first ? answer.first->code : "");
    set_value(script, "headlines", headlines_beside(judgement, answer.first));
    set_list(script, "findings", answer.codes);
    set_value(script, "later", answer.later.empty() ? "" : answer.later.front());
    set_value(script, "nvcc", answer.nvcc);
    set_value(script, "nvcc_version", answer.nvcc_version);
    set_value(script, "ptxas", answer.ptxas);
    set_value(script, "ptx_version", answer.ptx ? answer.ptx->text() : "");
    set_list(script, "architectures_ok", answer.architectures);
    set_list(script, "inputs", answer.inputs);
    set_components(script, scenario, options.components);
    set_value(script, "runs_on", scenario.drivers.empty() && scenario.gpus.empty() ? "" : "TRUE");
    return script;
}

}  // namespace ptxguard
