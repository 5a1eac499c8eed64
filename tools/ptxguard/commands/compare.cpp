// `ptxguard compare BEFORE.json AFTER.json`: which findings of two reports of one command are new, gone or of
// another level, by their fingerprints, and which facts changed.
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "commands/command.hpp"
#include "commands/deliver.hpp"
#include "commands/run.hpp"
#include "host/host.hpp"
#include "judge/judge.hpp"
#include "model/json.hpp"
#include "model/ranges.hpp"
#include "model/say.hpp"
#include "model/text.hpp"
#include "model/visible.hpp"

namespace ptxguard {
namespace {

constexpr const char* k_schema = "ptxguard/report-1";

Result<Json> read_report(const Host& host, const std::string& path) {
    const auto text = host.read(path);
    if (!text) return text.trouble();
    auto report = parse_json(*text, path);
    if (!report) return report.trouble();
    const std::string& schema = (*report)["schema"].as_string();
    if (!starts_with(schema, "ptxguard/"))
        return Trouble{path, "is not a report of ptxguard", "write it with --format json"};
    if (schema != k_schema)
        return Trouble{path, SAY("is a report of another version: {}, not {}", schema, k_schema),
                       "write it again with this ptxguard"};
    if ((*report)["command"].as_string() == "compare")
        return Trouble{path, "is a comparison", "compare the reports that it was made of"};
    for (const Json& finding : (*report)["findings"].items())
        if (finding["fingerprint"].as_string().empty() || !from_word<Level>(finding["level"].as_string()))
            return Trouble{path, "has a finding without a fingerprint or a level", ""};
    return report;
}

Level level_of(const Json& finding) {
    return from_word<Level>(finding["level"].as_string()).value_or(Level::note);
}

// Those that are not suppressed, by fingerprint.
std::map<std::string, const Json*> findings_of(const Json& report) {
    std::map<std::string, const Json*> all;
    for (const Json& finding : report["findings"].items())
        if (finding["suppressed"].is_null()) all[finding["fingerprint"].as_string()] = &finding;
    return all;
}

// In the order of `report`.
std::vector<const Json*> only_in(const Json& report, const std::map<std::string, const Json*>& others) {
    std::vector<const Json*> only;
    for (const Json& finding : report["findings"].items())
        if (finding["suppressed"].is_null() && others.count(finding["fingerprint"].as_string()) == 0)
            only.push_back(&finding);
    return only;
}

// A value of a report with its origin, or the bare text.
std::string text_of(const Json& known) {
    const Json& value = known.is_object() ? known["value"] : known;
    return value.is_string() ? value.as_string() : "";
}

struct ChangedFact {
    std::string what, before, after;
};

// What of a report can change without any finding, by name.
class FactsOfReport {
public:
    explicit FactsOfReport(const Json& report) {
        add("ptxguard", report["tool"]["version"].as_string());
        const Json& inventory = report["inventory"];
        for (const Json& toolkit : inventory["toolkits"].items()) add_toolkit(toolkit);
        for (const Json& driver : inventory["drivers"].items()) {
            const std::string version = text_of(driver["version"]), cuda = text_of(driver["cuda"]);
            add("driver", !version.empty() || cuda.empty() ? version : SAY("for CUDA {}", cuda));
        }
        for (const Json& gpu : inventory["gpus"].items()) add("GPU", gpu["name"].as_string());
        for (const Json& cudnn : inventory["cudnn"].items())
            add(SAY("cuDNN in {}", cudnn["folder"].as_string()), text_of(cudnn["version"]));
        for (const Json& framework : report["expectations"].items()) {
            const std::string& package = framework["package"].as_string();
            add(package, text_of(framework["version"]));
            add(SAY("CUDA of {}", package), text_of(framework["cuda"]));
        }
    }

    std::vector<ChangedFact> changed_to(const FactsOfReport& after) const {
        std::map<std::string, std::pair<std::string, std::string>> both;
        for (const auto& [what, value] : m_values) both[what].first = value;
        for (const auto& [what, value] : after.m_values) both[what].second = value;
        std::vector<ChangedFact> changed;
        for (const auto& [what, values] : both)
            if (values.first != values.second) changed.push_back({what, values.first, values.second});
        return changed;
    }

private:
    void add(const std::string& what, const std::string& value) {
        std::string& all = m_values[what];
        all += (all.empty() ? "" : ", ") + (value.empty() ? "unknown" : value);
    }

    void add_toolkit(const Json& toolkit) {
        std::vector<std::string> parts;
        for (const Json& part : toolkit["parts"].items())
            for (const char* kind : {"nvcc", "cicc", "ptxas"})
                if (part["kind"].as_string() == kind)
                    parts.push_back(SAY("{} {}", kind, text_of(part["version"])));
        add(SAY("toolkit at {}", toolkit["root"].as_string()), joined(parts, ", "));
    }

    std::map<std::string, std::string> m_values;
};

struct Comparison {
    std::vector<const Json*> added, gone;
    std::vector<std::pair<const Json*, const Json*>> changed;  // of another level: before, after
    std::vector<ChangedFact> facts;

    Comparison(const Json& before, const Json& after)
        : added(only_in(after, findings_of(before))),
          gone(only_in(before, findings_of(after))),
          facts(FactsOfReport(before).changed_to(FactsOfReport(after))) {
        const auto old = findings_of(before);
        for (const auto& [mark, finding] : findings_of(after)) {
            const auto same = old.find(mark);
            if (same != old.end() && level_of(*same->second) != level_of(*finding))
                changed.emplace_back(same->second, finding);
        }
    }

    // Something is new that fails: a finding, or the level of one.
    bool is_worse(const JudgeOptions& gate) const {
        const auto fails = [&](const Json* finding) { return gate.fails(level_of(*finding)); };
        return any_of(added, fails) ||
               any_of(changed, [&](const auto& pair) { return fails(pair.second) && !fails(pair.first); });
    }
};

std::string line_of(const Json& finding, const std::string& before = "") {
    const std::string& file = finding["location"]["file"].as_string();
    return visible(SAY("  {}{}[{}]: {}{}", before, finding["level"].as_string(), finding["code"].as_string(),
                       finding["message"].as_string(), file.empty() ? "" : SAY(" ({})", file))) +
           "\n";
}

std::string text_of(const Comparison& all, const char* verdict) {
    std::string text;
    if (!all.facts.empty()) text += "facts\n";
    for (const ChangedFact& fact : all.facts) {
        const auto shown = [](const std::string& value) { return value.empty() ? "none" : value; };
        text += visible(SAY("  {}: {} -> {}", fact.what, shown(fact.before), shown(fact.after))) + "\n";
    }
    if (!all.added.empty()) text += "new\n";
    for (const Json* finding : all.added) text += line_of(*finding);
    if (!all.changed.empty()) text += "other level\n";
    for (const auto& [before, after] : all.changed)
        text += line_of(*after, SAY("{} -> ", (*before)["level"].as_string()));
    if (!all.gone.empty()) text += "gone\n";
    for (const Json* finding : all.gone) text += line_of(*finding);
    return text + SAY("verdict: {} ({} new, {} gone, {} of another level)\n", verdict, all.added.size(),
                      all.gone.size(), all.changed.size());
}

Json list_of(const std::vector<const Json*>& findings) {
    Json list = Json::array();
    for (const Json* finding : findings) list.push(*finding);
    return list;
}

// The findings of the envelope are the new ones.
Json members_of(const Comparison& all, const std::string& command) {
    Json counts = Json::object(), changed = Json::array(), facts = Json::array();
    for (const Level level : {Level::error, Level::warning, Level::note, Level::unknown}) {
        std::size_t count = 0;
        for (const Json* finding : all.added) count += level_of(*finding) == level;
        counts.set(to_string(level), count);
    }
    for (const auto& [before, after] : all.changed)
        changed.push(Json::object().set("before", (*before)["level"]).set("finding", *after));
    for (const ChangedFact& fact : all.facts)
        facts.push(Json::object().set("what", fact.what).set("before", fact.before).set("after", fact.after));
    return Json::object()
        .set("counts", std::move(counts))
        .set("findings", list_of(all.added))
        .set("compared", command)
        .set("gone", list_of(all.gone))
        .set("changed", std::move(changed))
        .set("facts", std::move(facts));
}

}  // namespace

int run_compare(const Settings& settings) {
    const std::string format = settings.one("format", "text");
    if (format != "text" && format != "json")
        return usage_error("compare", {"--format " + format, "is not for compare: text or json", ""});
    if (settings.arguments.size() != 2)
        return usage_error("compare", {"two reports", "are needed: BEFORE.json AFTER.json", ""});
    const auto host = real_host();
    const auto before = read_report(*host, settings.arguments[0]);
    if (!before) return usage_error("compare", before.trouble());
    const auto after = read_report(*host, settings.arguments[1]);
    if (!after) return usage_error("compare", after.trouble());
    const std::string& command = (*after)["command"].as_string();
    if ((*before)["command"].as_string() != command)
        return usage_error("compare", {settings.arguments[1],
                                       SAY("is a report of {}, and {} is one of {}", command,
                                           settings.arguments[0], (*before)["command"].as_string()),
                                       ""});
    const Comparison all(*before, *after);
    const JudgeOptions gate = judge_options(settings, {});
    const bool fails = all.is_worse(gate);
    Report report;
    report.command = "compare";
    report.judgement.verdict = fails ? Verdict::fail : Verdict::pass;
    return deliver_members(settings, report, members_of(all, command),
                           text_of(all, to_string(report.judgement.verdict)),
                           fails ? exit_findings : exit_ok);
}

}  // namespace ptxguard
