// SPDX-License-Identifier: Apache-2.0
#include "judge/search_questions.hpp"

#include "facts/framework_traits.hpp"
#include "facts/libraries.hpp"
#include "facts/tool_search.hpp"
#include "judge/library_faults.hpp"
#include "judge/package_builds.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/severity.hpp"
#include "judge/toolkit_questions.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_most = 12;  // candidates in a finding; the table of tools per program has all

// Why this framework is expected to use a GPU; empty = no evidence. TensorFlow's one wheel also serves CPUs.
std::string gpu_because(const Scenario& scenario, const Pick& pick) {
    if (!pick.search->gpu_because.empty()) return pick.search->gpu_because;
    if (!scenario.gpus.empty()) return SAY("there is a GPU: {}", name_of(scenario.gpus.front()));
    for (const Driver& driver : scenario.drivers)
        if (has_level(driver)) return SAY("there is a {}", name_of(driver));
    for (const char* what : {"gpu", "driver"})
        if (scenario.requires_(what)) return SAY("--require {}", what);
    return "";
}

// Existing candidates that were rejected explain more than places without a file.
std::vector<Evidence> candidates_of(const Pick& pick) {
    std::vector<Evidence> rows;
    for (const bool absent : {false, true})
        for (const Pick::Loser& loser : pick.losers) {
            if ((loser.skipped == Skipped::absent) != absent) continue;
            Origin origin;
            origin.text = loser.by;
            rows.push_back({loser.path, loser.reason, origin});
        }
    if (rows.size() <= k_most) return rows;
    const std::size_t rest = rows.size() - k_most;
    rows.resize(k_most);
    rows.push_back({SAY("and {} more", rest), "see tools that each program uses", {}});
    return rows;
}

// The folder of a toolkit that the framework uses already: that of its ptxas, else that of its libraries.
bool is_in_use(const Scenario& scenario, const Facts& facts, const Toolkit& toolkit, const Pick& pick) {
    for (const Pick& other : scenario.picks)
        if (other.search && other.search->package == pick.search->package && other.tool == "ptxas" &&
            !other.path.empty())
            return other.toolkit == toolkit.id;
    for (const LoadTrace& trace : scenario.traces) {
        const Expectation* framework = scenario.framework_of(trace);
        if (!framework || !is_of(pick, *framework, facts)) continue;
        for (const LoadedFile& library : trace.libraries)
            if (library.taken && !library.library.empty() &&
                starts_with(lower(*library.taken), lower(toolkit.root) + "/"))
                return true;
    }
    return false;
}

PartKind kind_of_tool(const std::string& tool) {
    return tool == "ptxas"     ? PartKind::ptxas
           : tool == "nvcc"    ? PartKind::nvcc
           : tool == k_libnvvm ? PartKind::nvvm
                               : PartKind::libdevice;
}

// A search for libnvvm.so.4 does not take a libnvvm.so without that name.
bool is_searched_name(const Pick& pick, const std::string& path) {
    return pick.tool != k_libnvvm || pick.losers.empty() ||
           any_of(pick.losers,
                  [&](const Pick::Loser& loser) { return file_of(loser.path) == file_of(path); });
}

// A copy in an installed toolkit that the search would accept: the one in use, else of the CUDA major that
// the framework was built with, else the first.
const Part* copy_here(const Scenario& scenario, const Facts& facts, const std::string& tool,
                      const Pick& pick) {
    const PartKind kind = kind_of_tool(tool);
    const Part* best = nullptr;
    int best_rank = 0;
    for (const Toolkit& toolkit : scenario.toolkits) {
        const Part* part = toolkit.part(kind);
        if (!part || !part->trouble.empty()) continue;
        const bool refused = any_of(pick.losers, [&](const Pick::Loser& loser) {
            return loser.skipped != Skipped::later &&
                   (loser.path == part->path || loser.path == part->real_path);
        });
        if (refused || !is_searched_name(pick, part->path)) continue;
        const bool fits = any_of(scenario.expectations, [&](const auto& one) {
            return is_of(pick, one, facts) && one.cuda && toolkit.version() &&
                   one.cuda->major() == toolkit.version()->major();
        });
        const int rank = is_in_use(scenario, facts, toolkit, pick) ? 3 : fits ? 2 : 1;
        if (rank <= best_rank) continue;
        best = part;
        best_rank = rank;
    }
    return best;
}

// The folder above bin/ptxas or nvvm/libdevice/libdevice.10.bc.
std::string root_of(const Part& part) {
    std::string root = part.path;
    const int levels = part.kind == PartKind::libdevice || part.kind == PartKind::nvvm ? 3 : 2;
    for (int i = 0; i < levels; ++i) root = root.substr(0, root.find_last_of("/\\"));
    return root;
}

// A wrong PATH entry, and the existing folder that was probably meant.
void add_misspelt_entries(const Scenario& scenario, const Pick& pick, std::vector<Fix>& fixes) {
    const auto add = [&](const std::string& variable, const std::string& value, const std::string& nearest) {
        if (pick.search->follows_path && variable == "PATH" && !nearest.empty())
            fixes.push_back(replace_list_entry(variable, value, nearest, scenario.system));
    };
    for (const EnvironmentEntry& entry : scenario.entries)
        add(entry.variable, entry.value, can_be_mended(entry.problem) ? entry.nearest : "");
    for (const Selector& selector : scenario.selectors)
        add(selector.name, selector.value, can_be_mended(selector.problem) ? selector.nearest : "");
}

// libdevice is usually in the toolkit whose ptxas the framework uses.
std::string folder_of_its_ptxas(const Scenario& scenario, const Pick& pick) {
    for (const Pick& other : scenario.picks) {
        if (!other.search || other.search->package != pick.search->package || other.tool != "ptxas" ||
            other.path.empty())
            continue;
        Part part;
        part.kind = PartKind::ptxas;
        part.path = other.path;
        return root_of(part);
    }
    return "";
}

// numba-cuda[cu13] brings the compilers that numba-cuda searches.
void add_extra(const Scenario& scenario, const Facts& facts, const Pick& pick, std::vector<Fix>& fixes) {
    for (const Expectation& framework : scenario.expectations) {
        if (framework.package != pick.search->package) continue;
        const int cuda = cuda_that_fits(scenario, facts, framework.package);
        if (const auto extra = extra_for_cuda(scenario, facts, framework, cuda)) fixes.push_back(*extra);
        return;
    }
}

std::vector<Fix> fixes_for(const Scenario& scenario, const Facts& facts, const std::string& tool,
                           const Pick& pick) {
    std::vector<Fix> fixes;
    add_misspelt_entries(scenario, pick, fixes);
    const Part* part = copy_here(scenario, facts, tool, pick);
    const std::string flag = "XLA_FLAGS=--xla_gpu_cuda_data_dir=";
    if (part && pick.search->setting.rfind(flag, 0) == 0)
        fixes.push_back(xla_folder_fix(root_of(*part), scenario.system));
    else if (part && pick.search->setting == "CUDA_HOME")
        fixes.push_back(set_variable("CUDA_HOME", root_of(*part), scenario.system));
    else if (part && pick.search->setting.rfind("CUDA_ROOT", 0) == 0)
        fixes.push_back(set_variable("CUDA_ROOT", root_of(*part), scenario.system));
    else if (part && setting_names_file(pick))
        fixes.push_back(set_variable(pick.search->setting, part->path, scenario.system));
    if (!pick.search->get.empty()) fixes.push_back({FixKind::command, pick.search->get});
    if (fixes.empty()) add_extra(scenario, facts, pick, fixes);
    if (!fixes.empty()) return fixes;
    const std::string folder = tool == "libdevice" ? folder_of_its_ptxas(scenario, pick) : "";
    if (!folder.empty() && pick.search->setting.rfind(flag, 0) == 0) {
        const std::string file = folder + "/nvvm/libdevice/libdevice.10.bc";
        fixes.push_back(where_there(SAY("{} is there", file), xla_folder_fix(folder, scenario.system)));
    }
    fixes.push_back(
        by_hand(SAY("install {} and select it with {}", pick.search->wants, pick.search->setting)));
    return fixes;
}

bool finds_a_library(const LoadTrace& trace, const Facts& facts) {
    return any_of(trace.libraries, [&](const LoadedFile& library) {
        const auto named = library_by_file_name(facts, library.name);
        return named && !named->driver && library.taken && library.how != LoadHow::text;
    });
}

// Whether the framework gets as far as a GPU. CUDA libraries that it opens then are missing, and it was not
// named: it runs on the CPU and never calls XLA's GPU compiler. Nothing: none of them was found, and which
// ones it opens, or where, is not known. On Windows no package contains them, so they would come from a
// toolkit that was not found.
std::optional<bool> runs_on_gpu(const Scenario& scenario, const Facts& facts, const Pick& pick) {
    if (scenario.system == System::windows) return true;
    for (const LoadTrace& trace : scenario.traces) {
        const Expectation* framework = scenario.framework_of(trace);
        if (!framework || !is_of(pick, *framework, facts)) continue;
        if (!missing_libraries(trace, facts).empty()) return framework->required;
        return finds_a_library(trace, facts) ? std::optional<bool>(true) : std::nullopt;
    }
    return true;
}

std::string framework_of(const Scenario& scenario, const Facts& facts, const Pick& pick) {
    for (const Expectation& one : scenario.expectations)
        if (is_of(pick, one, facts)) return one.package;
    return pick.search->package;
}

}  // namespace

std::vector<Entity> users_of(const Scenario& scenario, const Facts& facts, const Pick& pick) {
    std::vector<Entity> users;
    for (const Expectation& one : scenario.expectations)
        if (is_of(pick, one, facts)) users.push_back(id_of(scenario, one));
    return users;
}

Evidence evidence_of(const Pick& pick, const std::string& what) {
    return {what, pick.version->text,
            pick.version.origin.shown_as(SAY("{}, by {}", pick.path, pick.because))};
}

std::string brought_by(const Scenario& scenario, const Facts& facts, const Pick& pick) {
    for (const Expectation& one : scenario.expectations)
        if (!one.site.empty() && is_of(pick, one, facts) && starts_with(pick.path, one.site + "/"))
            return one.package;
    return "";
}

bool is_of(const Pick& pick, const Expectation& framework, const Facts& facts) {
    if (framework.package == pick.search->package || framework.build_package == pick.search->package)
        return true;
    const std::vector<std::string>& packages = framework_traits(facts, framework.framework).packages;
    return contains(packages, pick.search->package);
}

Arch asked_for(const Pick& pick, Arch gpu) {
    const auto& specific = pick.search->specific_from;
    return {gpu.number, specific && gpu.number >= specific->number ? 'a' : gpu.suffix};
}

bool makes_code(const Pick& pick) { return pick.tool == "ptxas" || pick.tool == "libNVVM"; }

std::vector<Arch> archs_concerned(const Scenario& scenario) {
    const std::vector<Arch> gpus = known_archs_of(scenario.gpus);
    return gpus.empty() ? archs_of(scenario.project.archs.targets) : gpus;
}

bool setting_names_file(const Pick& pick) {
    return pick.search->setting != "PATH" && ends_with(pick.search->setting, "_PATH") &&
           pick.search->setting.find_first_of("=, ") == std::string::npos;
}

bool is_used(const Scenario& scenario, const Pick& pick) {
    if (!pick.search->min_arch && !pick.search->max_arch) return true;
    const std::vector<Arch> archs = archs_concerned(scenario);
    if (archs.empty()) return !pick.search->min_arch;
    return any_of(archs, [&](Arch arch) {
        return (!pick.search->min_arch || arch.number >= pick.search->min_arch->number) &&
               (!pick.search->max_arch || arch.number <= pick.search->max_arch->number);
    });
}

bool is_needed(const Scenario& scenario, const Pick& pick) {
    // Where no GPU is to be used, nothing asks Triton for a kernel.
    const bool is_asked = pick.tool != k_c_compiler || is_meant_for_gpu(scenario);
    return pick.search && pick.search->when_none && is_asked && is_used(scenario, pick);
}

bool is_complete(const Scenario& scenario, const Pick& pick) {
    return scenario.search_path_known || !pick.search->follows_path;
}

// XLA splits its flags at blanks, except in quotes.
Fix xla_folder_fix(const std::string& folder, System system) {
    const bool quote = folder.find_first_of(" \t'") != std::string::npos;
    return set_variable(
        "XLA_FLAGS",
        quote ? SAY("--xla_gpu_cuda_data_dir=\"{}\"", folder) : SAY("--xla_gpu_cuda_data_dir={}", folder),
        system);
}

Fix where_there(const std::string& condition, const Fix& setting) {
    Fix fix = by_hand(SAY("where {}: {}", condition, setting.text));
    if (!setting.in_cmd.empty()) fix.in_cmd = SAY("where {}: {}", condition, setting.in_cmd);
    return fix;
}

void judge_searches(const Scenario& scenario, const Facts& facts, const char* code, const std::string& tool,
                    Findings& findings) {
    for (const Pick& pick : scenario.picks) {
        if (pick.tool != tool || !pick.path.empty() || !is_needed(scenario, pick)) continue;
        if (!is_complete(scenario, pick)) continue;
        const std::string because = gpu_because(scenario, pick);
        const std::optional<bool> on_gpu = runs_on_gpu(scenario, facts, pick);
        const bool on_cpu = on_gpu && !*on_gpu, open = !on_gpu || because.empty();
        // What brings it mostly works without what it compiles in C: torch without torch.compile.
        const bool is_optional = tool == k_c_compiler && !pick.search->companion_of.empty();
        const Level said = on_cpu || (is_optional && !open) ? Level::note
                           : open                           ? Level::unknown
                                                            : *pick.search->when_none;
        Composed finding =
            add(findings, code, said, pick.consumer, SAY("{} finds no {}", pick.consumer, tool));
        finding.about(scenario, pick)
            .about(users_of(scenario, facts, pick))
            .of_package(framework_of(scenario, facts, pick))
            .found(candidates_of(pick))
            .expected(tool, pick.search->wants, pick.search->table)
            .because(pick.search->effect)
            .fix(fixes_for(scenario, facts, tool, pick));
        if (on_cpu)
            finding->because +=
                "; without a change it runs on the CPU, because its CUDA libraries are also missing";
        else if (!because.empty())
            finding->because += "; " + because;
        if (!on_gpu)
            finding.decide(SAY("the CUDA libraries of {}: none was found, so it may run on the CPU",
                               pick.search->package));
        else if (said == Level::unknown)
            finding.decide(SAY("whether {} is to use a GPU: --gpu NAME, --driver VERSION or --framework {}",
                               pick.search->package, pick.search->package));
    }
}

}  // namespace ptxguard
