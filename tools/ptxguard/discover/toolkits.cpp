// The order of work: follow every candidate; run all programs in parallel (versions, the host compiler, dry
// runs of wrappers); then follow toolkits that only a wrapper selected; then resolve the tools of each
// consumer.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "ask/questions.hpp"
#include "discover/discover.hpp"
#include "discover/host_compiler.hpp"
#include "discover/layout.hpp"
#include "discover/parts.hpp"
#include "discover/selectors.hpp"
#include "discover/targets.hpp"
#include "formats/version_text.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// Toolkits being assembled, in the order of their first candidate.
struct Assembly {
    const Asker& ask;
    const Host& host;
    Scenario& scenario;
    std::map<std::string, std::size_t> by_identity;
    std::vector<VersionQuestion> questions;

    void add(Lead& lead) {
        const Site& site = lead.found.site;
        if (!site.found()) return;
        const auto known = by_identity.find(site.identity);
        const std::size_t index = known != by_identity.end() ? known->second : make(site);
        Toolkit& toolkit = scenario.toolkits[index];
        lead.selector.toolkit = toolkit.id;
        add_once(toolkit.names, site.root);
        if (!lead.names_program) add_once(toolkit.names, normal_path(lead.selector.value, host.system()));
        for (const auto& wrapper : site.wrappers) add_once(toolkit.wrappers, wrapper);
    }

    std::size_t make(const Site& site) {
        const std::size_t index = scenario.toolkits.size();
        by_identity[site.identity] = index;
        Toolkit toolkit;
        toolkit.id = "toolkit" + std::to_string(index + 1);
        toolkit.root = site.root;
        if (const auto real = host.real_path(site.root)) toolkit.real_root = *real;
        toolkit.layout = layout_of(host, site);
        toolkit.parts = find_parts(host, site, toolkit.layout);
        scenario.toolkits.push_back(toolkit);
        for (auto& question : read_versions(ask, scenario.toolkits.back(), index))
            questions.push_back(question);
        return index;
    }
};

// Programs run in parallel for their versions; `part` gives the place of the answer, which may have moved
// meanwhile.
template <typename PartOf>
void ask_part(const Host& host, Questions& questions, PartOf part) {
    ask_version(host, part().path, k_cuda_marker, questions,
                [&host, part](const SaidVersion& said) { take_version(host, part(), said); });
}

void ask_programs(Assembly& assembly, Questions& questions) {
    for (const auto& question : assembly.questions) {
        const auto part = [&assembly, question]() -> Part& {
            return assembly.scenario.toolkits[question.toolkit].parts[question.part];
        };
        ask_part(assembly.host, questions, part);
    }
    assembly.questions.clear();
}

// The first ptxas on PATH; run only if it belongs to no toolkit that is run anyway.
void ask_bare_ptxas(const Host& host, const Scenario& scenario, Questions& questions, Part& part) {
    part.kind = PartKind::ptxas;
    part.path = program_on_path(host, "ptxas");
    if (part.path.empty()) return;
    if (const auto real = host.real_path(part.path)) part.real_path = *real;
    for (const auto& toolkit : scenario.toolkits)
        if (const Part* own = toolkit.part(PartKind::ptxas); own && own->real_path == part.real_path) return;
    if (host.foreign())
        part.version = scanned_version(host.open(part.path), part.path);
    else
        ask_part(host, questions, [&part]() -> Part& { return part; });
}

void complete_bare_ptxas(const Scenario& scenario, Part& part) {
    for (const auto& toolkit : scenario.toolkits)
        if (const Part* own = toolkit.part(PartKind::ptxas);
            own && own->real_path == part.real_path && !part.version)
            part.version = own->version;
}

// The build calls nvcc by the path in its selector, so a wrapper is called first.
void call_as_selected(Toolkit& toolkit, const Lead& lead) {
    for (auto& part : toolkit.parts) {
        if (part.kind != PartKind::nvcc || nvcc_of(lead).empty()) continue;
        part.path = nvcc_of(lead);
        if (!lead.found.site.trouble.empty()) part.fail(lead.found.site.trouble, lead.found.site.fault);
    }
    toolkit.root = lead.found.site.root;
}

// Flags that every nvcc gets in addition to its command line.
Known<std::string> flags_from_outside(const Host& host) {
    Known<std::string> flags;
    for (const char* name : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"}) {
        const std::string value = trim(host.env(name).value_or(""));
        if (value.empty()) continue;
        flags.origin = Origin::from_variable(name, name + ("=" + value));
        flags.value = flags.value ? *flags.value + " " + value : value;
    }
    return flags;
}

void choose(const Host& host, const Request& request, std::vector<Lead>& leads, Scenario& scenario) {
    const std::size_t decides = deciding_lead(host, request, leads);
    if (decides == k_no_lead) return;
    Lead& lead = leads[decides];
    lead.selector.decides = true;
    scenario.project.toolkit = lead.selector.toolkit;
    scenario.project.toolkit_because = reason_of(lead.selector);
    for (auto& toolkit : scenario.toolkits)
        if (toolkit.id == lead.selector.toolkit) call_as_selected(toolkit, lead);
}

// An older nvcc ignores NVCC_CCBIN, and its version was not known when the host compiler was searched.
void complete_host_compiler(const Asker& ask, const Facts& facts, const Request& request,
                            Scenario& scenario) {
    const Host& host = ask.host();
    HostCompiler& compiler = scenario.project.host_compiler;
    const Toolkit* toolkit = scenario.build_toolkit();
    const Part* nvcc = toolkit ? toolkit->part(PartKind::nvcc) : nullptr;
    if (!nvcc) return;
    if (compiler.chosen_by.variable == "NVCC_CCBIN" && !reads_nvcc_ccbin(host, *nvcc)) {
        HostCompilerChoice choice = choose_host_compiler(host, request, false);
        compiler = choice.compiler;
        if (choice.question) take_compiler_answer(compiler, *choice.question, ask_now(ask, *choice.question));
    }
    const CudaRelease* release = nvcc->version ? facts.cuda(*nvcc->version) : nullptr;
    if (!release || !compiler.version) return;
    const HostCompilerLimits& limits = release->host_compilers;
    const std::optional<int>& newest = compiler.family == "clang" ? limits.clang_max : limits.gcc_max;
    if (compiler.family != "msvc" && newest && compiler.version->major() > *newest)
        compiler.fitting = fitting_compilers(host, limits, compiler);
}

}  // namespace

void discover_toolkits(const Asker& ask, const Facts& facts, const Request& request, Scenario& scenario) {
    const Host& host = ask.host();
    std::vector<Lead> leads = follow_leads(host, request, scenario.python);
    Assembly assembly{ask, host, scenario, {}, {}};
    for (auto& lead : leads)
        if (!lead.found.needs_dry_run) assembly.add(lead);

    Questions questions(ask);
    std::map<std::string, Site> dry_runs;
    for (const auto& lead : leads) {
        const std::string path = lead.found.site.nvcc;
        if (!lead.found.needs_dry_run || !dry_runs.emplace(path, Site{}).second) continue;
        Question question;
        question.command = dry_run_command(path);
        questions.add(question, [&, path](const Answer& answer) {
            dry_runs[path] = site_from_dry_run(host, path, answer);
            return false;
        });
    }
    HostCompilerChoice compiler = choose_host_compiler(host, request);
    if (compiler.question)
        questions.add(*compiler.question, [&](const Answer& answer) {
            take_compiler_answer(compiler.compiler, *compiler.question, answer);
            return answer.ok();
        });
    Part ptxas;
    ask_bare_ptxas(host, scenario, questions, ptxas);
    ask_programs(assembly, questions);
    questions.run(k_short_questions);

    for (auto& lead : leads) {
        if (!lead.found.needs_dry_run) continue;
        lead.found.site = dry_runs[lead.found.site.nvcc];
        assembly.add(lead);
    }
    ask_programs(assembly, questions);
    questions.run(k_short_questions);
    complete_bare_ptxas(scenario, ptxas);

    scenario.project.host_compiler = compiler.compiler;
    scenario.project.nvcc_flags = flags_from_outside(host);
    choose(host, request, leads, scenario);
    complete_host_compiler(ask, facts, request, scenario);
    for (const auto& lead : leads) scenario.selectors.push_back(lead.selector);
    write_picks(host, request, leads, ptxas.path.empty() ? nullptr : &ptxas, scenario);
    read_environment(host, scenario);
    read_project(host, request, scenario);
    resolve_project_words(facts, scenario);
}

}  // namespace ptxguard
