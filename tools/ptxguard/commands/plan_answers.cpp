// Answers of `plan` that no table of builds has: systems and boards without builds, frameworks that compile
// for the GPU when they run, and packages that require a framework.
// SPDX-License-Identifier: Apache-2.0
#include "commands/planner.hpp"

#include <limits>
#include <set>

#include "facts/plan_table.hpp"
#include "facts/pypi.hpp"
#include "facts/recipe_tables.hpp"
#include "judge/driver_questions.hpp"
#include "judge/entry_fit.hpp"
#include "judge/fitting_builds.hpp"
#include "judge/plan.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/specifier.hpp"

namespace ptxguard {
namespace {

InstallLine line_of_table(const std::string& text) {
    const std::size_t colon = text.find(": ");
    return {text.substr(0, colon), text.substr(colon + 2)};
}

// Windows: what runs in WSL2.
void add_wsl2(const PlannedSet& linux_, PlannedSet& set) {
    if (!linux_.builds.empty())
        set.says.push_back(linux_.builds.front() + " runs in WSL2");
    else if (!linux_.unproven.empty())
        set.says.push_back("use WSL2, for example with " + linux_.unproven);
}

// The CUDA of the compiler that a release uses for a GPU (for most, if none is given).
std::optional<Version> compiler_for(const AtRunTime& row, const FrameworkRelease* release, const Gpu* gpu) {
    if (row.tool.empty()) return row.cuda;
    if (!release) return std::nullopt;
    const std::string second = row.tool + "-blackwell";
    const bool other = gpu && gpu->arch->number >= 100 && release->tools.count(second) != 0;
    const auto tool = release->tools.find(other ? second : row.tool);
    return tool == release->tools.end() ? std::nullopt : std::optional(tool->second);
}

bool knows_gpu(const Facts& facts, const Version& cuda, const Gpu& gpu) {
    const auto releases = facts.cuda_releases_with(Arch{gpu.arch->number, 0});
    return any_of(releases, [&](const Version& one) { return same_release(one, cuda); });
}

bool knows_gpus(const Facts& facts, const AtRunTime& row, const FrameworkRelease* release,
                const std::vector<const Gpu*>& gpus) {
    return all_of(gpus, [&](const Gpu* gpu) {
        const auto own = compiler_for(row, release, gpu);
        return own && knows_gpu(facts, *own, *gpu);
    });
}

// Whether pip for the Python of the wish installs that release; `named`: the one that is wanted, if any.
bool is_installable(const PypiRow& row, const std::optional<Version>& version,
                    const std::optional<Version>& named, const Wish& wish) {
    return !row.yanked && version && (!named || *named == *version) && fits_python(row, wish.request.python);
}

// Whether that release of torch is the one that ">=2.14.0" or "==2.14.0" names.
bool is_lower_bound(const std::string& specifier, const Version& version) {
    for (const Clause& clause : clauses_of(specifier))
        if (clause.op == ">=" || clause.op == "==" || clause.op == "~=") {
            const auto bound = parse_version(clause.version);
            return bound && same_release(*bound, version);
        }
    return true;
}

bool any_driver_older(const Scenario& machine, const Facts& facts, const Version& cuda) {
    const Known<Version> minimum = minimum_for(machine, facts, cuda);
    return any_of(machine.drivers, [&](const Driver& driver) {
        return too_old(machine, facts, driver, cuda, minimum).value_or(false);
    });
}

}  // namespace

bool Planner::answer_by_system(const Wish& wish, PlannedSet& set) const {
    const std::string framework = wish.package.empty() ? wish.framework.reader->component : wish.package;
    if (wish.macos) {
        for (const PlanSystem* row : m_words.on("macos", framework)) {
            set.says.push_back(row->says);
            for (const std::string& text : row->install) set.install.push_back(line_of_table(text));
        }
        set.settled = true;
        return true;
    }
    if (wish.system != System::windows) return false;
    const auto rows = m_words.on("windows", framework);
    const bool listed = wish.package.empty() && !builds_of(wish, false).empty();
    if (rows.empty() || listed) return false;
    for (const PlanSystem* row : rows) set.says.push_back(row->says);
    Wish linux_ = wish;
    linux_.system = System::linux_;
    const PlanAnswer there = plan(linux_);
    add_wsl2(there.set, set);
    set.install = there.build ? install_lines(*there.build, linux_) : there.set.install;
    erase_if(set.install, [](const InstallLine& one) { return one.by == "docker"; });
    set.settled = true;
    return true;
}

// Tables list only the builds for Linux. PyPI's list of wheels has those that are for Windows too; drivers
// are compared with what Windows needs.
bool Planner::answer_by_linux_build(const Wish& wish, PlannedSet& set) const {
    if (wish.system != System::windows || !builds_of(wish, false).empty()) return false;
    Wish linux_ = wish;
    linux_.system = System::linux_;
    std::vector<Fix> builds = builds_of(linux_, false);
    if (builds.empty()) return false;
    erase_if(builds, [&](const Fix& fix) {
        const PypiRow* files = pypi_row(m_facts, fix.step->package, fix.step->version);
        return !files || !files->windows_wheel;
    });
    if (builds.empty()) return answer_by_other_system(wish, linux_, set);
    const Scenario here = machine_of(wish), machine = machine_of(linux_);
    std::vector<Fix> for_driver = builds;
    erase_if(for_driver, [&](const Fix& fix) {
        return fix.step->cuda && any_driver_older(here, m_facts, *fix.step->cuda);
    });
    const Expectation like = framework_of(linux_);
    std::vector<Fix> with_cuda = for_driver;
    erase_if(with_cuda, [&](const Fix& fix) { return !brings_cuda(*fix.step); });
    const auto open = first_fitting(like, with_cuda, for_driver, machine);
    if (!open) return say_why_none_on_windows(wish, builds, set);
    set.unproven = title_of(*open->build.step);
    set.unknown = {"its build for Windows (the tables list the one for Linux)"};
    append(set.unknown, open->unknown);
    if (open->build.kind == FixKind::command) set.install = install_lines(*open->build.step, wish);
    return true;
}

std::optional<OpenBuild> Planner::first_fitting(const Expectation& like, const std::vector<Fix>& complete,
                                                const std::vector<Fix>& builds,
                                                const Scenario& machine) const {
    const std::vector<Fix> running = builds_that_run(like, complete, 1, machine, m_facts, judge());
    if (!running.empty()) return OpenBuild{running.front(), {}};
    return build_left_open(like, builds, machine, m_facts, judge());
}

bool Planner::answer_by_other_system(const Wish& wish, const Wish& linux_, PlannedSet& set) const {
    if (wish.framework.build.version) return false;
    const PlanAnswer there = plan(linux_);
    set.says.push_back("no listed build of " + wish.named + " is for Windows");
    add_wsl2(there.set, set);
    set.install = there.build ? install_lines(*there.build, linux_) : there.set.install;
    erase_if(set.install, [](const InstallLine& one) { return one.by == "docker"; });
    set.settled = true;
    return true;
}

namespace {

// The last branch of drivers with the GPUs, where a named driver is of a newer one.
std::optional<int> last_branch(const Scenario& named, const Facts& facts) {
    std::optional<int> last;
    for (const Driver& driver : named.drivers)
        for (const Gpu& gpu : named.gpus)
            if (const auto branch = gpu.arch ? dropped_after(facts, driver, *gpu.arch) : std::nullopt)
                last = std::min(last.value_or(*branch), *branch);
    return last;
}

}  // namespace

// The newest build, and the one that needs the oldest driver.
void Planner::add_driver_in_the_way(const Wish& wish, const std::vector<Fix>& builds, const Scenario& machine,
                                    const Scenario& here, PlannedSet& set) const {
    const Expectation like = framework_of(wish);
    const std::optional<int> last = last_branch(machine_of(wish), m_facts);
    std::set<int> majors;
    std::optional<Version> lowest;
    for (const Fix& fix : builds) {
        if (!fix.step->cuda || !majors.insert(fix.step->cuda->major()).second) continue;
        std::vector<Fix> same;
        for (const Fix& other : builds)
            if (other.step->cuda && other.step->cuda->major() == fix.step->cuda->major())
                same.push_back(other);
        const auto found = first_fitting(like, same, same, machine);
        const auto needed = driver_for(*fix.step->cuda, here);
        if (!found || !needed || (lowest && *lowest <= *needed)) continue;
        if (lowest && set.without.size() > 1) set.without.pop_back();
        lowest = needed;
        set.without.push_back(
            {"--driver " + list(wish.request.drivers), title_of(*found->build.step),
             "driver " + needed->text + (last ? " to branch " + std::to_string(*last) : " or newer")});
    }
}

// `builds`: with a wheel for Windows.
bool Planner::say_why_none_on_windows(const Wish& wish, const std::vector<Fix>& builds,
                                      PlannedSet& set) const {
    Wish less = wish;
    less.request.drivers.clear();
    const Scenario here = machine_of(less);
    less.system = System::linux_;
    Wish linux_ = wish;
    linux_.system = System::linux_;
    if (!wish.request.drivers.empty()) add_driver_in_the_way(linux_, builds, machine_of(less), here, set);
    if (set.without.empty())
        set.says.push_back("no listed build of " + wish.named + " with a wheel for Windows runs there");
    return true;
}

// One of the GPUs is soldered to a board whose system image brings driver and CUDA.
bool Planner::answer_by_board(const Wish& wish, const Scenario& machine, PlannedSet& set) const {
    const std::vector<const Gpu*> gpus = gpus_judged(machine);
    for (const Gpu* gpu : gpus) {
        const PlanBoard* board = m_words.board(*gpu->arch);
        if (!board) continue;
        set.says.push_back((gpus.size() == 1 ? "" : name_of(*gpu) + " ") + board->says);
        const std::string package = wish.package.empty() ? framework_of(wish).package : wish.package;
        if (contains(board->packages, package) && gpus.size() == 1)
            set.install.push_back(
                {"pip", "python3 -m pip install " + package + " --index-url " + board->index});
        set.settled = true;
        set.fit = PlannedFit::unknown;
    }
    return set.settled;
}

bool Planner::has_arm(const Wish& wish) const {
    const std::vector<std::string>& words = m_words.arm;
    return any_of(wish.request.gpus, [&](const std::string& gpu) {
        const auto arch = parse_arch(gpu);
        return (arch && arch->number == 121) || any_of(words, [&](const std::string& word) {
                   return lower(gpu).find(lower(word)) != std::string::npos;
               });
    });
}

// On PyPI. What PyTorch's own index has for Arm, no table lists.
bool Planner::has_arm_wheel(const Step& build) const {
    const std::string& package = build.package;
    const PypiRow* row = pypi_row(m_facts, package, build.version);
    if (!is_own_build(build, m_facts) || !row || !row->aarch64_wheel) return false;
    if (contains(m_words.arm_cpu_only, package)) return false;
    for (const FirstRelease& first : recipe_tables(m_facts).aarch64_wheels)
        if (first.package == package && build.version < *first.from) return false;
    return true;
}

namespace {

// The build, proven or not.
void name_at_run_time(const AtRunTime& row, const std::vector<const Gpu*>& gpus, const std::string& title,
                      PlannedSet& set) {
    const bool beyond = row.supported && any_of(gpus, [&](const Gpu* gpu) {
                            return gpu->arch->number < row.supported->number;
                        });
    if (beyond) set.unknown = {"GPUs older than " + row.supported->sm() + ", which its makers do not test"};
    (beyond ? set.unproven : set.builds.emplace_back()) = title;
}

// On PyPI for that system and machine.
bool has_file(const PypiRow& row, System system, bool arm) {
    if (row.sdist) return true;
    if (system == System::windows) return row.windows_wheel;
    return arm ? row.aarch64_wheel : row.linux_wheel;
}

}  // namespace

bool Planner::answer_at_run_time(const Wish& wish, const Scenario& machine, PlannedSet& set) const {
    const std::string framework = wish.framework.reader->component;
    bool any = false;
    for (const AtRunTime& row : m_words.at_run_time) {
        if (row.framework != framework) continue;
        if (!any) {
            set.says.push_back(row.package + " compiles for the GPU when it runs");
            if (!row.says.empty()) set.says.push_back(row.says);
        }
        any = true;
        if (set.builds.empty() && set.unproven.empty()) add_at_run_time(row, wish, machine, set);
    }
    return any;
}

// The newest release whose compiler knows the GPUs and whose CUDA the drivers support.
void Planner::add_at_run_time(const AtRunTime& row, const Wish& wish, const Scenario& machine,
                              PlannedSet& set) const {
    const PypiPackage* pypi = pypi_package(m_facts, row.package);
    const std::vector<const Gpu*> gpus = gpus_judged(machine);
    const auto& named = wish.framework.build.version;
    int lowest = std::numeric_limits<int>::max();  // CUDA of the compilers that are too new for the driver
    for (auto at = pypi->releases.rbegin(); at != pypi->releases.rend(); ++at) {
        const auto version = parse_version(at->version);
        const PypiRow& files = pypi->row(*at);
        if (!is_installable(files, version, named, wish)) continue;
        if (!wish.free_threaded.empty() && !m_words.has_wheel(row.package, *version, wish.free_threaded))
            continue;
        const FrameworkRelease* release = m_facts.framework_release(row.package, *version);
        const auto cuda = compiler_for(row, release, nullptr);
        if (!cuda || !knows_gpus(m_facts, row, release, gpus)) continue;
        const std::string title = row.requirement + " " + version->text;
        const auto driver = driver_for(*cuda, machine);
        if (!any_driver_older(machine, m_facts, *cuda)) {
            set.without.clear();
            name_at_run_time(row, gpus, title, set);
            if (machine.drivers.empty() && driver) set.provided = {needs_driver(*driver)};
            set.install = lines_for("'" + row.requirement + "==" + version->text + "'", row.package,
                                    python_for(wish, files.python_to), wish);
            return;
        }
        if (cuda->major() < lowest) {
            lowest = cuda->major();
            set.without = {{"--driver", title,
                            "driver " + (driver ? driver->text : "for CUDA " + cuda->text) + " or newer"}};
        }
        if (row.tool.empty()) return;
    }
}

// The newest build of the framework that a release of the package accepts.
std::optional<Step> Planner::build_for_package(const Requirement& required, const PackageFiles& files,
                                               const std::vector<Fix>& builds) const {
    for (const Fix& fix : builds) {
        const Step& step = *fix.step;
        if (!accepts(required.specifier, step.version.without_local())) continue;
        if (!files.pure && !files.on_index && !is_own_build(step, m_facts)) continue;
        if (files.on_index && !is_lower_bound(required.specifier, step.version)) continue;
        return step;
    }
    return std::nullopt;
}

Planner::PackageFiles Planner::files_of(const PypiRow& row, const std::string& package) const {
    const bool pure = row.linux_wheel && row.aarch64_wheel && row.windows_wheel && !row.python_from &&
                      !contains(m_words.device_code, package);
    return {pure, row.linux_wheel, contains(m_words.torch_index, package)};
}

// vllm, which pins torch: its newest release whose torch runs.
bool Planner::answer_for_package(const Wish& wish, PlannedSet& set) const {
    if (wish.package.empty()) return false;
    const PypiPackage* pypi = pypi_package(m_facts, wish.package);
    const std::string framework = framework_of(wish).package;
    const std::vector<Fix> builds = running(wish, machine_of(wish), builds_of(wish, true).size() + 1);
    for (auto at = pypi->releases.rbegin(); at != pypi->releases.rend(); ++at) {
        const auto version = parse_version(at->version);
        const PypiRow& row = pypi->row(*at);
        if (!is_installable(row, version, wish.release, wish) || !has_file(row, wish.system, has_arm(wish)))
            continue;
        const Requirement* required = requirement_on(m_facts, wish.package, *version, framework);
        if (!required) continue;
        const PackageFiles files = files_of(row, wish.package);
        // An old release with code for another torch accepts newer ones only because it did not know them.
        const bool open =
            !files.pure && !files.on_index && !required->pinned() && at != pypi->releases.rbegin();
        const auto build = open ? std::nullopt : build_for_package(*required, files, builds);
        if (build) {
            set.without.clear();
            return add_package(wish, *version, *build, files, set);
        }
        if (set.without.empty())
            set.without.push_back({"", wish.package + " " + version->text,
                                   framework + required->specifier + ", of which no build runs there"});
    }
    if (set.without.empty()) set.says.push_back("no listed release of " + wish.package + " installs there");
    return true;
}

bool Planner::add_package(const Wish& wish, const Version& version, const Step& below,
                          const PackageFiles& files, PlannedSet& set) const {
    const std::string title = wish.package + " " + version.text + " with " + title_of(below);
    if (files.pure)
        set.builds = {title};
    else {
        set.unproven = title;
        set.unknown = {files.compiled
                           ? "the device code of " + wish.package
                           : wish.package + " is compiled when it is installed, with the nvcc that is there"};
    }
    set.provided = provided_for(below, wish, machine_of(wish));
    const std::string own = "'" + wish.package + "==" + version.text + "'";
    for (InstallLine line : install_lines(below, wish)) {
        if (line.by == "conda" || line.by == "docker") continue;
        const std::size_t words = line.text.find("install ") + 8;
        const bool by_index = line.text.find("--index-url") != std::string::npos;
        if (by_index && !files.on_index)
            line.text += " && " + line.text.substr(0, words) + own;
        else
            line.text.insert(words, own + " ");
        set.install.push_back(std::move(line));
    }
    return true;
}

}  // namespace ptxguard
