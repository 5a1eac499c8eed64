// The host compiler and the versions of all parts are asked for while wrappers run; only a toolkit behind a
// wrapper has to be asked later.
// SPDX-License-Identifier: Apache-2.0
#include "discover/toolkits.hpp"

#include "discover/compilers_python.hpp"
#include "discover/discover.hpp"
#include "discover/host_compiler.hpp"
#include "discover/parts.hpp"
#include "discover/targets.hpp"
#include "formats/version_text.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// The build calls nvcc by the path in its selector, so a wrapper is called first.
void call_as_selected(Toolkit& toolkit, const ToolkitCandidate& candidate) {
    for (auto& part : toolkit.parts) {
        if (part.kind != PartKind::nvcc || nvcc_of(candidate).empty()) continue;
        part.path = nvcc_of(candidate);
        if (!candidate.found.site.trouble.empty())
            part.fail(candidate.found.site.trouble, candidate.found.site.fault);
    }
    toolkit.root = candidate.found.site.root;
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

}  // namespace

void ToolkitSearch::add(ToolkitCandidate& candidate) {
    const Site& site = candidate.found.site;
    if (!site.found()) return;
    const auto known = m_by_identity.find(site.identity);
    Toolkit& toolkit = m_scenario.toolkits[known != m_by_identity.end() ? known->second : make(site)];
    candidate.selector.toolkit = toolkit.id;
    add_once(toolkit.names, site.root);
    if (!candidate.names_program)
        add_once(toolkit.names, normal_path(candidate.selector.value, m_host.system()));
    for (const auto& wrapper : site.wrappers) add_once(toolkit.wrappers, wrapper);
}

std::size_t ToolkitSearch::make(const Site& site) {
    const std::size_t index = m_scenario.toolkits.size();
    m_by_identity[site.identity] = index;
    Toolkit toolkit;
    toolkit.id = "toolkit" + std::to_string(index + 1);
    toolkit.root = site.root;
    if (const auto real = m_host.real_path(site.root)) toolkit.real_root = *real;
    toolkit.layout = layout_of(m_host, site);
    toolkit.parts = find_parts(m_host, site, toolkit.layout);
    m_scenario.toolkits.push_back(std::move(toolkit));
    find_versions(m_questions, m_scenario.toolkits, index);
    return index;
}

void ToolkitSearch::ask_wrappers() {
    for (const ToolkitCandidate& candidate : m_candidates) {
        const std::string path = candidate.found.site.nvcc;
        if (!candidate.found.needs_dry_run || !m_behind.emplace(path, Site{}).second) continue;
        Question question;
        question.command = dry_run_command(path);
        m_questions.add(question, [this, path](const Answer& answer) {
            m_behind[path] = site_from_dry_run(m_host, path, answer);
            return false;
        });
    }
}

// Run only if it belongs to no toolkit, whose ptxas is run anyway.
void ToolkitSearch::find_bare_ptxas() {
    m_bare_ptxas.kind = PartKind::ptxas;
    m_bare_ptxas.path = program_on_path(m_host, "ptxas");
    if (m_bare_ptxas.path.empty()) return;
    if (const auto real = m_host.real_path(m_bare_ptxas.path)) m_bare_ptxas.real_path = *real;
    for (const auto& toolkit : m_scenario.toolkits)
        if (const Part* own = toolkit.part(PartKind::ptxas); own && own->real_path == m_bare_ptxas.real_path)
            return;
    if (m_host.foreign())
        m_bare_ptxas.version = scanned_version(m_host.open(m_bare_ptxas.path), m_bare_ptxas.path);
    else
        ask_part(m_host, m_questions, [this]() -> Part& { return m_bare_ptxas; });
}

void ToolkitSearch::find() {
    m_candidates = follow_candidates(m_host, m_request, m_scenario.python);
    for (auto& candidate : m_candidates)
        if (!candidate.found.needs_dry_run) add(candidate);
    ask_wrappers();
    find_bare_ptxas();
    find_host_compiler(m_request, true, m_questions, m_compiler);
    if (m_compiler.chosen_by.variable == "NVCC_CCBIN")
        find_host_compiler(m_request, false, m_questions, m_without_ccbin);
    ask_own_compilers();
    m_scenario.project.nvcc_flags = flags_from_outside(m_host);
    read_environment(m_host, m_scenario);
    read_project(m_host, m_request, m_scenario);
}

void ToolkitSearch::follow_wrappers() {
    for (auto& candidate : m_candidates) {
        if (!candidate.found.needs_dry_run) continue;
        candidate.found.site = m_behind[candidate.found.site.nvcc];
        add(candidate);
    }
}

void ToolkitSearch::ask_own_compilers() {
    for (const Toolkit& toolkit : m_scenario.toolkits) {
        const Part* nvcc = toolkit.part(PartKind::nvcc);
        const std::string path = nvcc ? own_gcc(m_host, *nvcc) : "";
        const auto [own, is_new] = m_own_compilers.try_emplace(path);
        if (path.empty() || !is_new) continue;
        own->second.path = path;
        own->second.chosen_by = Origin::from_variable("PATH", "gcc in nvcc's folder");
        identify_host_compiler(m_questions, own->second);
    }
}

// Of an nvcc that only a dry run shows nothing was asked.
HostCompiler ToolkitSearch::own_compiler(const Part& nvcc) const {
    HostCompiler compiler;
    compiler.path = own_gcc(m_host, nvcc);
    if (const auto own = m_own_compilers.find(compiler.path); own != m_own_compilers.end())
        return own->second;
    compiler.chosen_by = Origin::from_variable("PATH", "gcc in nvcc's folder");
    compiler.family = "gcc";
    compiler.version = version_in_files(m_host, compiler);
    return compiler;
}

// An older nvcc ignores NVCC_CCBIN.
void ToolkitSearch::choose_host_compiler(const Facts& facts) {
    HostCompiler& compiler = m_scenario.project.host_compiler;
    compiler = m_compiler;
    const Toolkit* toolkit = m_scenario.build_toolkit();
    const Part* nvcc = toolkit ? toolkit->part(PartKind::nvcc) : nullptr;
    if (!nvcc) return;
    if (compiler.chosen_by.variable == "NVCC_CCBIN" && !reads_nvcc_ccbin(m_host, *nvcc))
        compiler = m_without_ccbin;
    // A script that finds none of its compilers ends: that of PATH shows why.
    if (compiler.chosen_by.variable == "PATH" && !own_gcc(m_host, *nvcc).empty())
        if (const HostCompiler own = own_compiler(*nvcc); own.version) compiler = own;
    compiler.contradicted = contradicted_functions(m_host, compiler, *toolkit);
    const CudaRelease* release = nvcc->version ? facts.cuda(*nvcc->version) : nullptr;
    if (m_host.system() == System::windows)
        return find_installed_msvc(m_host, *toolkit, release ? &release->host_compilers : nullptr, compiler);
    if (!release || !compiler.version) return;
    const HostCompilerLimits& limits = release->host_compilers;
    const std::optional<int>& newest = compiler.family == "clang" ? limits.clang_max : limits.gcc_max;
    if (newest && compiler.version->major() > *newest)
        compiler.fitting = fitting_compilers(m_host, limits, compiler);
}

void ToolkitSearch::choose(const Facts& facts) {
    const std::size_t decides = deciding_candidate(m_host, m_request, m_candidates);
    if (decides != k_no_candidate) {
        ToolkitCandidate& candidate = m_candidates[decides];
        candidate.selector.decides = true;
        m_scenario.project.toolkit = candidate.selector.toolkit;
        m_scenario.project.toolkit_because = reason_of(candidate.selector);
        for (auto& toolkit : m_scenario.toolkits)
            if (toolkit.id == candidate.selector.toolkit) call_as_selected(toolkit, candidate);
    }
    choose_host_compiler(facts);
    for (const ToolkitCandidate& candidate : m_candidates) m_scenario.selectors.push_back(candidate.selector);
    write_picks(m_host, m_request, m_candidates, m_bare_ptxas.path.empty() ? nullptr : &m_bare_ptxas,
                m_scenario);
    resolve_project_words(facts, m_scenario);
}

void discover_toolkits(const Asker& ask, const Facts& facts, const Request& request, Scenario& scenario) {
    Questions questions(ask);
    ToolkitSearch search(questions, request, scenario);
    search.find();
    questions.run(k_short_questions);
    search.follow_wrappers();
    questions.run(k_short_questions);
    search.choose(facts);
}

}  // namespace ptxguard
