// CC209 forward_compat_unsupported: libcuda and the kernel driver are of different releases, and this GPU or
// this driver does not support that: errors 804 and 803.
// SPDX-License-Identifier: Apache-2.0
#include "facts/forward_compat.hpp"
#include "facts/libraries.hpp"
#include "judge/entry_fit.hpp"
#include "judge/library_faults.hpp"
#include "judge/ptx_questions.hpp"
#include "model/file_names.hpp"

namespace ptxguard {
namespace {

constexpr int k_mismatch = 803, k_refused = 804;

// A loaded libcuda, and the kernel driver that it is used with.
struct Pairing {
    std::string path;
    std::string who;        // the framework whose own search finds it; empty = all programs
    LoadRule rule;          // rule that found it: "DT_RUNPATH of libtensorflow_cc.so.2"
    Known<Version> user;    // version of libcuda
    Known<Version> kernel;  // of the kernel module here, or of the named driver
    int init_error = 0;
    bool declared = false;  // the user named the kernel driver
    bool in_image = false;  // in a container, which gets the libcuda of its host beside this one
};

bool in_compat_folder(const std::string& path) { return path.find("/compat/") != std::string::npos; }

const Driver* driver_here(const Scenario& scenario) {
    const Driver* here = nullptr;
    for (const Driver& driver : scenario.drivers)
        if (!driver.declared && !driver.stub && (!driver.libcuda.empty() || driver.kernel)) here = &driver;
    return here;
}

bool is_of_compat_package(const LoadedFile& libcuda) {
    return is_taken(libcuda) && !libcuda.stub && libcuda.version &&
           (in_compat_folder(*libcuda.taken) || in_compat_folder(libcuda.real_path));
}

bool is_same(const Driver& here, const LoadedFile& libcuda) {
    return here.libcuda == *libcuda.taken || (here.version && *here.version == *libcuda.version);
}

// A framework whose own search (DT_RPATH, DT_RUNPATH) finds another libcuda than other programs.
void add_traced(const Scenario& scenario, const Driver* here, std::vector<Pairing>& pairs) {
    for (const LoadTrace& trace : scenario.traces) {
        const LoadedFile* libcuda = trace.library("cuda");
        if (!libcuda || !is_of_compat_package(*libcuda) || (here && is_same(*here, *libcuda))) continue;
        Pairing pair;
        pair.path = *libcuda->taken;
        pair.who = !trace.traced_for ? trace.path : trace.framework();
        pair.rule = libcuda->rule;
        pair.user = libcuda->version;
        if (here && here->kernel) {
            pair.kernel = here->kernel;
            pairs.push_back(pair);
        }
        for (const Driver& driver : scenario.drivers) {
            if (!driver.declared || !driver.version) continue;
            pair.kernel = driver.version;
            pair.declared = true;
            pairs.push_back(pair);
        }
    }
}

void add_found(const Scenario& scenario, const Driver* here, std::vector<Pairing>& pairs) {
    if (!here || here->libcuda.empty()) return;
    // A compatibility package in an image that is not searched: the machine's own libcuda is loaded instead.
    const std::string folder = folder_of(here->libcuda);
    if (!here->compat && in_compat_folder(folder + "/")) return;
    const bool container = !scenario.container.empty();
    if (here->kernel)
        pairs.push_back(
            {here->libcuda, "", "", here->version, here->kernel, here->init_error, false, container});
    if (!here->kernel && here->init_error)
        pairs.push_back({here->libcuda, "", "", here->version, {}, here->init_error, false});
    // The libcuda in a container's compat folder is used with the driver of the container's host.
    // So is the driver library of an image; without a kernel module it is not that of the host.
    const bool in_image = container && !here->kernel && !here->compat;
    for (const Driver& driver : scenario.drivers)
        if ((here->compat || in_image) && driver.declared && driver.version)
            pairs.push_back({here->libcuda, "", "", here->version, driver.version, 0, true, in_image});
}

std::vector<Pairing> pairings(const Scenario& scenario) {
    std::vector<Pairing> pairs;
    const Driver* here = driver_here(scenario);
    add_found(scenario, here, pairs);
    add_traced(scenario, here, pairs);
    return pairs;
}

Composed say(const Pairing& pair, Level level, const std::string& message, Findings& findings) {
    Composed finding = add(findings, "CC209", level, pair.path, message);
    if (pair.user) finding.found("libcuda", pair.user->text, Origin::from_file(pair.path));
    if (!pair.who.empty()) finding.found("taken by", SAY("{}, by {}", pair.who, pair.rule.text), {});
    if (pair.kernel) finding.found("kernel driver", pair.kernel);
    return finding;
}

std::string user_words(const Pairing& pair) { return with_release("libcuda", pair.user); }
std::string kernel_words(const Pairing& pair) { return with_release("kernel driver", pair.kernel); }

void add_fixes(const Pairing& pair, const Composed& finding) {
    const std::string folder = folder_of(pair.path);
    const bool own_folder = in_compat_folder(folder + "/");
    const bool by_itself = pair.rule.step == LoadStep::rpath || pair.rule.step == LoadStep::runpath;
    if (by_itself)
        finding.by_hand(SAY("take {} out of the {}", folder, pair.rule.text));
    else
        finding.fix(Fix{FixKind::setting,
                        own_folder ? SAY("take {} out of LD_LIBRARY_PATH and of ld.so.conf.d", folder)
                                   : SAY("take the libcuda of the kernel driver instead of {}", pair.path)});
    if (pair.user && pair.kernel && *pair.user > *pair.kernel)
        finding.by_hand(SAY("install driver {} or newer on the machine", pair.user->text));
}

// The driver's own result decides.
bool judge_measured(const Pairing& pair, Findings& findings) {
    if (pair.init_error != k_mismatch && pair.init_error != k_refused) return false;
    const bool refused = pair.init_error == k_refused;
    Composed finding = say(
        pair, Level::error,
        refused
            ? SAY("{} refuses to start: error {}, forward compatibility was attempted on non supported HW",
                  user_words(pair), pair.init_error)
            : SAY("{} refuses to start: error {}, unsupported display driver / cuda driver combination",
                  user_words(pair), pair.init_error),
        findings);
    finding.because(refused ? "NVIDIA allows a libcuda that is newer than the kernel driver on data-centre "
                              "GPUs and Jetson boards, not on GeForce cards"
                            : "libcuda and the kernel driver are from releases that do not work together");
    add_fixes(pair, finding);
    return true;
}

void judge_older(const Pairing& pair, Findings& findings) {
    Composed finding =
        say(pair, Level::error,
            SAY("{} is older than the {} that it meets", user_words(pair), kernel_words(pair)), findings);
    finding.expected("libcuda", pair.kernel->text, pair.kernel.origin)
        .because(
            "compatibility packages work on drivers older than themselves, not on newer ones: error 803, "
            "unsupported display driver / cuda driver combination");
    add_fixes(pair, finding);
}

// The machine's own libcuda, not a compatibility package, and the kernel module that is still loaded.
bool is_half_updated(const Pairing& pair) {
    return (!pair.declared || pair.in_image) && pair.who.empty() && pair.user->numbers.size() > 1 &&
           pair.kernel->numbers.size() > 1 &&
           (*pair.user > *pair.kernel || pair.user->major() == pair.kernel->major()) &&
           !in_compat_folder(pair.path) && !in_compat_folder(folder_of(pair.path) + "/");
}

// The container gets the host's libraries too, and ldconfig links the newest.
void add_image_fixes(const Pairing& pair, const Composed& finding) {
    finding
        .because(
            "a container uses the driver of its host, whose libraries are mounted when it starts; of two "
            "files libcuda.so.* the newer one is loaded: 'Driver/library version mismatch', and cuInit fails "
            "on most GPUs with 803 or 804")
        .by_hand(SAY("remove the driver's packages from the image: `dpkg -S {}` or `rpm -qf {}` names the "
                     "one with libcuda",
                     pair.path, pair.path));
    if (!pair.declared) finding.by_hand("start the container again, if the host's driver was updated");
}

void judge_half_updated(const Scenario& scenario, const Facts& facts, const Pairing& pair,
                        Findings& findings) {
    const auto gpus = gpus_judged(scenario);
    const bool refused = any_of(gpus, [&](const Gpu* gpu) {
        const Known<bool> allowed = compat_allowed(facts, gpu->name, gpu->arch);
        return allowed && !*allowed;
    });
    const std::string of_kernel = pair.declared ? SAY("driver {} of the host", pair.kernel->text)
                                                : SAY("kernel module {} that is loaded", pair.kernel->text);
    Composed finding = say(pair, refused ? Level::error : Level::warning,
                           SAY("{}{}{} than the {}", user_words(pair), pair.in_image ? " of this image" : "",
                               *pair.user > *pair.kernel ? " is newer" : " is older", of_kernel),
                           findings);
    finding.expected("kernel module", pair.user->text, pair.user.origin)
        .because(
            "the driver was updated on one side only: nvidia-smi says 'Driver/library version mismatch', and "
            "cuInit fails on most GPUs with 803 or 804");
    if (pair.in_image && *pair.user > *pair.kernel) return add_image_fixes(pair, finding);
    if (*pair.user < *pair.kernel) return add_fixes(pair, finding);
    finding.by_hand(SAY("restart the machine, or load the kernel modules of {}", pair.user->text));
}

void judge_gpus(const Scenario& scenario, const Facts& facts, const Pairing& pair, Findings& findings) {
    const auto gpus = gpus_judged(scenario);
    for (const Gpu* gpu : gpus) {
        const Known<bool> allowed = compat_allowed(facts, gpu->name, gpu->arch);
        if (allowed && *allowed) continue;
        const bool refused = allowed && !*allowed;
        Composed finding = say(pair, refused ? Level::error : Level::unknown,
                               refused ? SAY("{} does not allow {} on the older {}", name_of(*gpu),
                                             user_words(pair), kernel_words(pair))
                                       : SAY("whether {} allows {} on the older {} is not known",
                                             name_of(*gpu), user_words(pair), kernel_words(pair)),
                               findings);
        finding.found(evidence_of(*gpu))
            .expected("GPU", "a data-centre GPU or a Jetson board", facts.forward_compat().gpus)
            .because(refused ? "error 804: forward compatibility was attempted on non supported HW"
                             : "NVIDIA allows it on data-centre GPUs, Jetson boards and some RTX cards, not "
                               "on GeForce")
            .required(!refused && gpu->declared);
        if (refused) add_fixes(pair, finding);
        if (!refused) finding.decide("the product's name: --gpu \"NVIDIA A10\"");
    }
    if (!gpus.empty()) return;
    say(pair, Level::unknown,
        SAY("whether the GPU allows {} on the older {} is not known", user_words(pair), kernel_words(pair)),
        findings)
        .because(
            "NVIDIA allows it on data-centre GPUs, Jetson boards and some RTX cards, not on GeForce (804)")
        .decide("the GPUs of the machines that run this: --gpu \"RTX 3090\"");
}

// Branches that NVIDIA lists as a base for some package. An unlisted one may be older than the list.
bool is_listed_base(const Facts& facts, int branch) {
    return any_of(facts.forward_compat().packages,
                  [&](const CompatPackage& package) { return contains(package.base_branches, branch); });
}

void judge_base(const Facts& facts, const Pairing& pair, Findings& findings) {
    const DriverBranch* branch = facts.driver_branch(*pair.user);
    const CompatPackage* package = branch && branch->cuda ? compat_package(facts, *branch->cuda) : nullptr;
    if (!package) return;
    const DriverBranch* base = facts.driver_branch(*pair.kernel);
    for (const int allowed : package->base_branches)
        if (allowed == pair.kernel->major() || (base && allowed == base->branch)) return;
    if (!base || is_listed_base(facts, base->branch)) return;
    std::vector<std::string> allowed;
    for (const int number : package->base_branches) allowed.push_back(std::to_string(number));
    say(pair, Level::unknown,
        SAY("{} on {} is not a combination that NVIDIA supports", user_words(pair), kernel_words(pair)),
        findings)
        .expected("kernel driver", allowed.empty() ? "none" : SAY("of branch {}", allowed), package->origin)
        .because(
            "a compatibility package is tested on long-lived driver branches; on others it may end with "
            "error 803 or 804")
        .decide("a run on that machine");
}

}  // namespace

PTXGUARD_RULE(CC209) {
    if (scenario.system == System::windows || scenario.source != SourceKind::machine) return;
    for (const Pairing& pair : pairings(scenario)) {
        if (judge_measured(pair, findings)) continue;
        if (!pair.user || !pair.kernel || *pair.user == *pair.kernel) continue;
        const bool older = *pair.user < *pair.kernel;
        if (pair.in_image && pair.declared && older) continue;  // that of the host is newer, and loaded
        if (is_half_updated(pair)) {
            judge_half_updated(scenario, facts, pair, findings);
            continue;
        }
        // Only a branch, or two updates of one branch: not a compatibility package.
        if (pair.user->major() == pair.kernel->major()) continue;
        if (older) {
            judge_older(pair, findings);
            continue;
        }
        judge_gpus(scenario, facts, pair, findings);
        judge_base(facts, pair, findings);
    }
}

}  // namespace ptxguard
