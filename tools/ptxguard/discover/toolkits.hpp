// The toolkits of a machine, in steps, so that all programs run in parallel: find, run the questions, follow
// the wrappers, run theirs, choose.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ask/questions.hpp"
#include "discover/selectors.hpp"
#include "facts/facts.hpp"
#include "model/request.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Its questions refer to it, so it stays where it is until they have run.
class ToolkitSearch {
public:
    ToolkitSearch(Questions& questions, const Request& request, Scenario& scenario)
        : m_questions(questions), m_host(questions.ask().host()), m_request(request), m_scenario(scenario) {}

    // Toolkits, the host compiler, environment entries, the project's architectures. Needs scenario.python.
    void find();
    // Toolkits that only a dry run shows.
    void follow_wrappers();
    // The build's toolkit and compiler, and the picks of each consumer of nvcc.
    void choose(const Facts& facts);

private:
    void add(ToolkitCandidate& candidate);
    std::size_t make(const Site& site);
    void ask_wrappers();
    void find_bare_ptxas();
    void ask_own_compilers();
    HostCompiler own_compiler(const Part& nvcc) const;
    void choose_host_compiler(const Facts& facts);

    Questions& m_questions;
    const Host& m_host;
    const Request& m_request;
    Scenario& m_scenario;
    std::vector<ToolkitCandidate> m_candidates;
    std::map<std::string, std::size_t> m_by_identity;     // toolkits, in the order of their first candidate
    std::map<std::string, Site> m_behind;                 // wrapper -> the toolkit that it runs
    HostCompiler m_compiler, m_without_ccbin;             // of an nvcc that reads NVCC_CCBIN, or does not
    std::map<std::string, HostCompiler> m_own_compilers;  // by path: those in the folders of nvcc
    Part m_bare_ptxas;                                    // the first ptxas on PATH
};

}  // namespace ptxguard
