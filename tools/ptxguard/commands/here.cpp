// SPDX-License-Identifier: Apache-2.0
#include "commands/here.hpp"

#include <algorithm>
#include <set>

#include "host/paths.hpp"
#include "judge/framework_questions.hpp"
#include "judge/judge.hpp"
#include "judge/log_questions.hpp"
#include "messages/message.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "packages/reading.hpp"

namespace ptxguard {
namespace {

// File names in the lines of a log: "cublas64_11.dll", "libcudnn.so.9", "ptxas".
std::set<std::string> names_in(const std::vector<MatchedLine>& lines) {
    std::set<std::string> names;
    for (const MatchedLine& line : lines)
        for (const std::string& word : plain_words(lower(line.text), "_.-")) {
            const bool is_library =
                word.find(".dll") != std::string::npos || word.find(".so") != std::string::npos;
            if (is_library || word == "ptxas" || word == "nvcc") names.insert(word);
        }
    return names;
}

bool mentions(const Finding& finding, const std::set<std::string>& names) {
    std::string text = finding.message;
    for (const auto* some : {&finding.found, &finding.expected})
        for (const Evidence& one : *some) text += ' ' + one.what + ' ' + one.value + ' ' + one.origin.path;
    text = lower(text);
    return any_of(names, [&](const std::string& name) { return text.find(name) != std::string::npos; });
}

bool may_explain(const std::string& shown, const std::string& code) {
    const Rule* const rule = find_rule(shown);
    if (!rule) return false;
    const auto& by = rule->head.explained_by;
    return contains(by, code);
}

// How well a finding explains a diagnosis; 0 = not at all.
int fit(const LogDiagnosis& diagnosis, const Finding& finding, const std::set<std::string>& names) {
    if (finding.suppressed || finding.level < Level::warning || finding.caused_by) return 0;
    const int points = (finding.level == Level::error ? 1 : 0) + (mentions(finding, names) ? 2 : 0);
    if (finding.code == diagnosis.code) return points + 100;
    return may_explain(diagnosis.code, finding.code) ? points + 50 : 0;
}

bool shares_a_line(const LogDiagnosis& one, const LogDiagnosis& other) {
    return any_of(one.matched, [&](const MatchedLine& line) {
        return any_of(other.matched, [&](const MatchedLine& known) { return known.line == line.line; });
    });
}

// Of equal ones the first: what breaks the program first. A finding that another diagnosis is about, or that
// explains the same line already, is left to that one.
const Finding* best_of(const std::vector<Finding>& findings, const LogDiagnosis& diagnosis,
                       const std::vector<LogDiagnosis>& all) {
    const std::set<std::string> names = names_in(diagnosis.matched);
    const auto is_of_another = [&](const Finding& finding) {
        return finding.code != diagnosis.code && any_of(all, [&](const LogDiagnosis& other) {
                   return other.code == finding.code ||
                          (other.here == finding.message && shares_a_line(other, diagnosis));
               });
    };
    const Finding* best = nullptr;
    int most = 0;
    for (const Finding& finding : findings)
        if (const int points = is_of_another(finding) ? 0 : fit(diagnosis, finding, names); points > most) {
            most = points;
            best = &finding;
        }
    return best;
}

std::string with_slashes(std::string text) {
    std::replace(text.begin(), text.end(), '\\', '/');
    return lower(text);
}

// The evidence to show: what a fix changes comes first, as the entry of PATH that it corrects.
std::vector<Evidence> shown_of(const Finding& finding) {
    constexpr std::size_t k_shown = 3;
    std::string fixes;
    for (const Fix& fix : finding.fix) fixes += with_slashes(fix.text) + '\n';
    const auto is_fixed = [&](const Evidence& one) {
        for (const std::string& path : {one.what, one.origin.path, one.origin.text}) {
            const std::string folder = folder_of(with_slashes(path.substr(0, path.find(','))));
            if (!folder.empty() && fixes.find(folder) != std::string::npos) return true;
        }
        return false;
    };
    std::vector<Evidence> shown = finding.found;
    std::stable_partition(shown.begin(), shown.end(), is_fixed);
    if (shown.size() > k_shown) shown.resize(k_shown);
    return shown;
}

void confirm(const Finding& here, LogDiagnosis& diagnosis, Finding& own) {
    diagnosis.here = here.message;
    diagnosis.here_code = here.code;
    diagnosis.here_found = shown_of(here);
    if (!here.fix.empty()) diagnosis.fix = own.fix = here.fix;
    own.because = "here: " + here.message;
    append(own.found, diagnosis.here_found);
    if (diagnosis.confidence == Confidence::possible) diagnosis.confidence = Confidence::likely;
    own.level = Level::error;
}

// Where the machine shows one cause of a line, the other causes of that line are less probable.
void doubt_others(Diagnosed& diagnosed) {
    auto& all = diagnosed.explanation.diagnoses;
    for (LogDiagnosis& one : all) {
        if (!one.here.empty() || one.confidence == Confidence::possible) continue;
        if (none_of(all, [&](const LogDiagnosis& other) {
                return !other.here.empty() && shares_a_line(one, other);
            }))
            continue;
        one.confidence = Confidence::possible;
        diagnosed.findings[one.finding].level = Level::unknown;
    }
}

void rank(Explanation& explanation) {
    auto& all = explanation.diagnoses;
    std::stable_sort(all.begin(), all.end(), [](const LogDiagnosis& a, const LogDiagnosis& b) {
        return std::make_pair(a.confidence, !a.here.empty()) > std::make_pair(b.confidence, !b.here.empty());
    });
    for (std::size_t i = 0; i < all.size(); ++i) all[i].rank = static_cast<int>(i) + 1;
    if (!all.empty() && !all.front().here.empty()) explanation.other_first = false;
}

Evidence named_tool(const char* tool, const std::string& path, const Known<Version>& version,
                    const std::string& because) {
    Evidence evidence{tool, version->text, version.origin};
    evidence.origin.text = path + (because.empty() ? "" : " (" + because + ")");
    return evidence;
}

// The ptxas of this machine that read no newer PTX than the one in the log, and the nvcc beside it.
void name_ptxas(const Scenario& here, const Facts& facts, PtxVersion read, LogDiagnosis& diagnosis) {
    std::set<std::string> named;
    const auto add = [&](const std::string& path, const Known<Version>& version, const std::string& because) {
        const CudaRelease* release = version ? facts.cuda(*version) : nullptr;
        if (release && release->ptx_max && *release->ptx_max == read && named.insert(path).second)
            diagnosis.here_found.push_back(named_tool("ptxas", path, version, because));
    };
    for (const Pick& pick : here.picks)
        if (pick.tool == "ptxas") add(pick.path, pick.version, pick.consumer + ": " + pick.because);
    for (const Toolkit& toolkit : here.toolkits)
        if (const Part* ptxas = toolkit.part(PartKind::ptxas)) add(ptxas->path, ptxas->version, "");
    if (named.empty()) return;
    const Evidence& first = diagnosis.here_found.front();
    diagnosis.here =
        "ptxas " + first.value + " reads PTX up to " + read.text() + " too: " + first.origin.text;
    diagnosis.here_code = diagnosis.code;
    for (const Pick& pick : here.picks)
        if (pick.tool == "nvcc" && pick.version && named.insert(pick.path).second)
            diagnosis.here_found.push_back(named_tool("nvcc", pick.path, pick.version, pick.because));
}

// "2.4.0" and "2.4.0+cu121", "535" and "535.104.05".
bool agree(const std::string& one, const std::string& other) {
    const auto release = [](const std::string& text) { return text.substr(0, text.find('+')) + '.'; };
    return starts_with(release(one), release(other)) || starts_with(release(other), release(one));
}

// "PyTorch 2.4.0 in the log, 2.11.0 here": the machine may not be the one that failed.
void note_differences(const Scenario& log, const Scenario& here, Explanation& explanation) {
    const auto note = [&](const std::string& what, const std::string& there, const std::string& now) {
        explanation.notes.push_back("the log has " + what + " " + there + ", this machine " + now +
                                    ": it may be from another environment");
    };
    for (const Expectation& one : log.expectations)
        for (const Expectation& other : here.expectations)
            if (one.package == other.package && one.version && other.version &&
                !agree(one.version->text, other.version->text))
                note(one.framework, one.version->text, other.version->text);
    if (log.drivers.size() != 1 || here.drivers.size() != 1) return;
    const auto &one = log.drivers.front().version, &other = here.drivers.front().version;
    if (one && other && !agree(one->text, other->text)) note("driver", one->text, other->text);
}

// The log is about a framework, and none was found here.
std::string what_is_absent(const std::vector<Scenario>& here, const Explanation& explanation) {
    const bool of_framework = any_of(explanation.diagnoses, [](const LogDiagnosis& one) {
        const Rule* const rule = find_rule(one.code);
        return rule && std::string_view(rule->area) == "frameworks";
    });
    const bool any = any_of(here, [](const Scenario& one) { return any_of(one.expectations, is_there); });
    return of_framework && !any ? "; it finds no framework here: --python names the log's environment" : "";
}

bool is_of_assembler(const LogDiagnosis& diagnosis) {
    const Rule* const rule = find_rule(diagnosis.code);
    return rule && rule->head.of_assembler;
}

}  // namespace

void join_here(const Scenario& log, const std::vector<Scenario>& here, const std::vector<Finding>& findings,
               const Facts& facts, Diagnosed& diagnosed) {
    Explanation& explanation = diagnosed.explanation;
    for (LogDiagnosis& diagnosis : explanation.diagnoses) {
        if (const Finding* best = best_of(findings, diagnosis, explanation.diagnoses))
            confirm(*best, diagnosis, diagnosed.findings[diagnosis.finding]);
        else
            for (const LogMessage& message : log.messages)
                if (is_of_assembler(diagnosis) && message.read && diagnosis.here.empty())
                    for (const Scenario& scenario : here)
                        name_ptxas(scenario, facts, *message.read, diagnosis);
    }
    doubt_others(diagnosed);
    rank(explanation);
    for (const Scenario& scenario : here) note_differences(log, scenario, explanation);
    if (none_of(explanation.diagnoses, [](const LogDiagnosis& one) { return !one.here.empty(); }))
        explanation.notes.push_back("check finds nothing on this machine that explains it" +
                                    what_is_absent(here, explanation));
}

Settings settings_for_log(Settings settings, const Scenario& log, const Explanation& explanation) {
    const auto add = [&](const char* option, const std::string& value) {
        settings.options.emplace(option, Setting{{value}, Origin::from_option(option), {}});
    };
    if (any_of(explanation.diagnoses, [](const LogDiagnosis& one) { return one.decide == k_check_build; }))
        add("build", "1");
    std::set<std::string> archs;
    const LogMessage* first = nullptr;
    for (const LogMessage* message : messages_with(log, {"arch_unknown_to_nvcc", "arch_unknown_to_build"})) {
        if (!message->arch) continue;
        archs.insert(message->arch->sm());
        if (!first) first = message;
    }
    if (!first || settings.has("arch")) return settings;
    add("arch", joined({archs.begin(), archs.end()}, ";"));
    add("arch-origin", first->origin.path + ":" + std::to_string(first->origin.line));
    return settings;
}

void add_from_log(const Scenario& log, Scenario& here) {
    if (here.gpus.empty()) here.gpus = log.gpus;
    if (here.drivers.empty()) here.drivers = log.drivers;
}

namespace {

using own::Author;

Trouble not_read(const std::string& path, Author author) {
    return {path,
            author == Author::another_user ? "is not used: it or its directory belongs to another user"
                                           : "is not used: others may write it or its directory",
            "use --config " + path + " to apply it"};
}

// A pyproject.toml without our table is silently skipped.
bool may_be_ours(const std::string& name, const Result<std::string>& text) {
    return name != "pyproject.toml" || !text || text->find("tool.ptxguard") != std::string::npos;
}

std::string home_of(const Host& machine) {
    const auto home = machine.env(machine.system() == System::windows ? "USERPROFILE" : "HOME");
    const auto real = home && !home->empty() ? machine.real_path(*home) : Result<std::string>(Trouble{});
    return real ? *real : std::string();
}

}  // namespace

Result<NearestConfiguration> nearest_configuration(
    const Host& machine, const std::string& start,
    const std::function<Author(const std::string& path)>& author_of) {
    NearestConfiguration nearest;
    const std::string home = home_of(machine);
    for (std::string folder = start; !folder.empty();) {
        for (const char* name : {".ptxguard.toml", "ptxguard.toml", "pyproject.toml"}) {
            const std::string path = join_path(folder, name);
            const FileType type = machine.status(path).type;
            if (type == FileType::missing) continue;
            auto text = type == FileType::regular ? machine.read(path)
                                                  : Result<std::string>(Trouble{path, why_no_file(type), ""});
            if (!may_be_ours(name, text)) continue;
            const Author author = author_of(path);
            if (author != Author::we) {
                nearest.passed_over.push_back(not_read(path, author));
                continue;
            }
            if (!text) return text.trouble();
            nearest.path = path;
            nearest.text = std::move(*text);
            return nearest;
        }
        const bool repository = machine.status(join_path(folder, ".git")).type != FileType::missing;
        const std::string parent = parent_path(folder);
        if (repository || folder == home || parent == folder ||
            author_of(join_path(folder, "ptxguard.toml")) != Author::we)
            break;
        folder = parent;
    }
    return nearest;
}

}  // namespace ptxguard
