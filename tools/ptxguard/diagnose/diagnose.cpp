// SPDX-License-Identifier: Apache-2.0
#include "diagnose/diagnose.hpp"

#include <algorithm>
#include <map>

#include "diagnose/refine.hpp"
#include "diagnose/scenario_of_log.hpp"
#include "diagnose/values.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "rule_codes.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_shown_lines = 3;  // of each cause

// A cause and what shows it.
struct Candidate {
    const Cause* cause = nullptr;
    Confidence confidence = Confidence::possible;
    std::uint64_t order = 0;  // of the first message that shows it with this confidence
    std::size_t place = 0;    // among the suspects of that message
    LogValues values;         // of that message
    std::vector<const FoundMessage*> shown_by;
};

class Candidates {
public:
    void add(const Suspect& suspect, std::size_t place, const FoundMessage& message,
             const LogValues& values) {
        const Cause* cause = find_cause(suspect.cause);
        if (!cause) return;
        const std::string key = *cause->code ? cause->code : cause->id;
        const auto [known, added] = m_index.try_emplace(key, m_all.size());
        if (added) m_all.emplace_back();
        Candidate& one = m_all[known->second];
        // Of equal ones the cause that says more.
        const bool says_more =
            !added && suspect.confidence == one.confidence && cause == one.cause &&
            filled(cause->sentence, values).size() > filled(one.cause->sentence, one.values).size();
        if (says_more) {
            one.values = values;
            one.shown_by.push_back(&message);
        } else if (added || suspect.confidence > one.confidence) {
            one.cause = cause;
            one.confidence = suspect.confidence;
            one.order = message.order;
            one.place = place;
            one.values = values;
            one.shown_by.insert(one.shown_by.begin(), &message);
        } else {
            one.shown_by.push_back(&message);
        }
    }

    // The most certain first, then in the order of the log: what comes later is often a consequence. Only a
    // kernel that failed is never the cause of another message.
    std::vector<Candidate> ranked() && {
        std::stable_sort(m_all.begin(), m_all.end(), [](const Candidate& a, const Candidate& b) {
            if (a.confidence != b.confidence) return a.confidence > b.confidence;
            const bool one_failed = is_symptom(a), other_failed = is_symptom(b);
            if (one_failed != other_failed) return other_failed;
            if (a.order != b.order) return a.order < b.order;
            return a.place < b.place;
        });
        return std::move(m_all);
    }

private:
    static bool is_symptom(const Candidate& one) {
        return std::string_view(one.cause->id) == "launch_failed";
    }

    std::vector<Candidate> m_all;
    std::map<std::string, std::size_t> m_index;
};

std::vector<MatchedLine> matched_lines(const std::vector<const FoundMessage*>& messages) {
    std::vector<MatchedLine> lines;
    for (const FoundMessage* message : messages) {
        const bool known = any_of(lines, [&](const MatchedLine& one) { return one.line == message->line; });
        if (!known && lines.size() < k_shown_lines) lines.push_back({message->line, message->text});
    }
    std::stable_sort(lines.begin(), lines.end(),
                     [](const MatchedLine& a, const MatchedLine& b) { return a.line < b.line; });
    return lines;
}

std::vector<Fix> fixes_of(const Candidate& candidate) {
    std::vector<Fix> fixes;
    for (const char* text : candidate.cause->fix)
        if (std::string fix = filled(text, candidate.values); !fix.empty())
            fixes.push_back({FixKind::manual, std::move(fix)});
    return fixes;
}

Finding finding_of(const std::string& log, const Candidate& candidate, const LogDiagnosis& diagnosis) {
    Finding finding;
    finding.code = diagnosis.code;
    finding.level = diagnosis.confidence == Confidence::possible ? Level::unknown : Level::error;
    finding.subject = candidate.cause->id;
    finding.message = diagnosis.cause;
    finding.scenario = log;
    for (const MatchedLine& line : diagnosis.matched)
        finding.found.push_back({"line " + std::to_string(line.line), line.text, from_log(log, line.line)});
    finding.fix = diagnosis.fix;
    if (!diagnosis.decide.empty()) finding.decide = {diagnosis.decide};
    if (!diagnosis.matched.empty()) {
        const Origin origin = from_log(log, diagnosis.matched.front().line);
        finding.location = Location{log, origin.line, 0};
    }
    return finding;
}

// The judge's finding about this cause: it compared the log's values with the tables.
const Finding* judged_finding(const std::vector<Finding>& judged, std::string_view code) {
    for (const Finding& finding : judged)
        if (finding.code == code && finding.level == Level::error && !finding.suppressed) return &finding;
    return nullptr;
}

// A cause that rests only on a general message yields to one that a message proves.
bool is_outdone(const Candidate& candidate, bool any_certain) {
    return any_certain && candidate.confidence == Confidence::possible;
}

// Two toolkits in one configure run: CMake's compiler and what FindCUDA found.
void add_compared(const FoundMessages& found, const LogValues& of_log, Candidates& candidates) {
    const auto compiler = of_log.find("cmake_nvcc"), other = of_log.find("found_cuda");
    if (compiler == of_log.end() || other == of_log.end()) return;
    const auto one = parse_version(compiler->second.text), two = parse_version(other->second.text);
    if (!one || !two || same_release(*one, *two)) return;
    LogValues values = of_log;
    values["nvcc"] = compiler->second;
    for (const FoundMessage& message : found.messages)
        if (message.value("cmake_nvcc") || message.value("found_cuda"))
            candidates.add({"two_toolkits", Confidence::likely}, 0, message, values);
}

// No message says that cuDNN is for another CUDA: the judge finds it where cuDNN fails and the log lists its
// packages.
void add_judged(const FoundMessages& found, const LogValues& of_log, const std::vector<Finding>& judged,
                Candidates& candidates) {
    if (!judged_finding(judged, CC304)) return;
    for (const FoundMessage& message : found.messages)
        if (message.value("cudnn_cuda"))
            candidates.add({"cudnn_for_other_cuda", Confidence::likely}, 0, message, of_log);
}

// The tables confirm a suspicion.
Suspect confirmed(Suspect suspect, const std::vector<Finding>& judged) {
    const Cause* cause = find_cause(suspect.cause);
    if (cause && *cause->code && suspect.confidence < Confidence::likely &&
        judged_finding(judged, cause->code))
        suspect.confidence = Confidence::likely;
    return suspect;
}

}  // namespace

Diagnosed diagnose(const std::string& log, const FoundMessages& found, const Facts& facts,
                   const std::vector<Finding>& judged) {
    const LogValues of_log = values_of_log(found);
    Candidates candidates;
    Diagnosed result;
    result.explanation.log = log;
    for (const FoundMessage& message : found.messages) {
        if (message.message->role == Role::echo && result.explanation.echoes.size() < k_shown_lines)
            result.explanation.echoes.push_back({message.line, message.text});
        if (message.message->role != Role::fault) continue;
        LogValues values = values_for(message, of_log, facts);
        const std::vector<Suspect> suspects = refined_suspects(message, found, values, facts);
        for (std::size_t i = 0; i < suspects.size(); ++i)
            candidates.add(confirmed(suspects[i], judged), i, message, values);
    }
    add_compared(found, of_log, candidates);
    add_judged(found, of_log, judged, candidates);
    const std::vector<Candidate> ranked = std::move(candidates).ranked();
    const bool any_certain = !ranked.empty() && ranked.front().confidence == Confidence::certain;
    for (const Candidate& candidate : ranked) {
        if (is_outdone(candidate, any_certain)) continue;
        const std::vector<MatchedLine> lines = matched_lines(candidate.shown_by);
        const std::string sentence = filled(candidate.cause->sentence, candidate.values);
        if (!*candidate.cause->code) {
            if (&candidate == &ranked.front()) result.explanation.other_first = true;
            result.explanation.others.push_back({sentence, candidate.confidence, lines});
            continue;
        }
        LogDiagnosis diagnosis;
        diagnosis.code = candidate.cause->code;
        diagnosis.rank = static_cast<int>(result.explanation.diagnoses.size()) + 1;
        diagnosis.cause = sentence;
        diagnosis.confidence = candidate.confidence;
        diagnosis.matched = lines;
        diagnosis.finding = result.findings.size();
        diagnosis.decide = filled(candidate.cause->decide, candidate.values);
        diagnosis.fix = fixes_of(candidate);
        diagnosis.fingerprint = fnv1a(diagnosis.code + '\n' + candidate.cause->id);
        Finding finding = finding_of(log, candidate, diagnosis);
        if (const Finding* better = judged_finding(judged, diagnosis.code)) {
            diagnosis.cause = finding.message = better->message;
            finding.expected = better->expected;
            finding.because = better->because;
            if (!better->fix.empty()) diagnosis.fix = finding.fix = better->fix;
        }
        result.findings.push_back(std::move(finding));
        result.explanation.diagnoses.push_back(std::move(diagnosis));
    }
    return result;
}

}  // namespace ptxguard
