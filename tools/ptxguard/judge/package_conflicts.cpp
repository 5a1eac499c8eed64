// For a companion (torchvision) the first contradiction is reported: its release, its CUDA, its std::string.
// jaxlib must not be newer than jax nor older than jax's minimum; a plugin must have exactly jaxlib's
// release, otherwise it is skipped.
// SPDX-License-Identifier: Apache-2.0
#include "judge/package_conflicts.hpp"

#include "facts/libraries.hpp"
#include "judge/companion_fixes.hpp"
#include "judge/fixes.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

Fix command(const std::string& text) { return {FixKind::command, text}; }

Conflict between(const std::string& package, const Known<Version>& version, const std::string& other,
                 const Known<Version>& other_version) {
    Conflict conflict;
    conflict.package = with_release(package, version);
    conflict.package_origin = version.origin;
    conflict.other = with_release(other, other_version);
    conflict.other_origin = other_version.origin;
    return conflict;
}

// Since CUDA 11 the releases of a major share their library names.
bool fits(const Version& a, const Version& b, bool minor_counts) {
    const bool both_tell = a.numbers.size() > 1 && b.numbers.size() > 1;
    const bool minor = minor_counts || a.major() < 11;
    return a.major() == b.major() && (!minor || !both_tell || a.minor() == b.minor());
}

bool set_other_cuda(const InstalledCompanion& one, const Companion& row, const Expectation& framework,
                    Conflict& conflict) {
    const bool without = framework.cpu_only.value.value_or(false);
    if (!framework.cuda && !without) return false;
    if (!one.cuda && !(one.without_cuda && framework.cuda)) return false;
    if (!one.cuda && row.cpu_build_works) return false;
    if (one.cuda && framework.cuda && fits(*one.cuda, *framework.cuda, row.compares_minor(one.version)))
        return false;
    if (one.cuda) conflict.package_origin = one.cuda.origin;
    const std::string own =
        one.cuda ? SAY("is built for {}", words_of_cuda(*one.cuda)) : "is built without CUDA";
    conflict.message = without ? SAY("{}, {} without it", own, conflict.other)
                               : SAY("{}, {} for {}", own, conflict.other, words_of_cuda(*framework.cuda));
    if (!one.cuda) {
        conflict.harm = Harm::gpu;
        conflict.effect = "its operators refuse tensors that lie on the GPU";
    }
    return true;
}

// Nightly builds belong together by their dates; after a branch is cut the framework's number runs ahead.
bool are_nightly(const InstalledCompanion& one, const Expectation& framework) {
    const auto is_nightly = [](const Version& version) { return version.text.find(".dev") != npos; };
    return one.version && is_nightly(*one.version) && is_nightly(*framework.version);
}

// In a recipe: its line with the release for this framework, or the command that gets it from there.
void set_pin(const InstalledCompanion& one, const Companion& row, const Expectation& framework,
             const Facts& facts, Conflict& conflict) {
    const std::string own = release_beside(row, *framework.version, facts);
    if (own.empty()) return;
    const std::string local = one.version ? one.version->local() : "", index = framework.version->local();
    const bool other_cuda = one.cuda && framework.cuda && !same_release(*one.cuda, *framework.cuda);
    // PyPI's build of that release is for one CUDA only.
    if (local.empty() && other_cuda && !row.index.empty() && cuda_of_tag(index))
        conflict.fix = pip_fix(SAY("'{}=={}' --index-url {}{}", row.package, own, row.index, index));
    else
        conflict.pin = SAY("{}=={}{}", row.package, own, local.empty() ? "" : SAY("+{}", local));
}

// Frameworks keep their binary interface within a minor release.
bool set_other_release(const InstalledCompanion& one, const Companion& row, const Expectation& framework,
                       const Facts& facts, Conflict& conflict) {
    const bool by_table = one.version && !row.works_with.empty();
    const bool fits = by_table ? !row.needs_other(*one.version, *framework.version)
                               : one.built_for && same_release(*one.built_for, *framework.version);
    if (!one.built_for || one.stable_abi || fits || are_nightly(one, framework)) return false;
    conflict.package_origin = one.built_for.origin;
    conflict.message = SAY("is built for {} {}, not for {}", row.of, one.built_for->without_local(),
                           framework.version->text);
    conflict.fix = by_table         ? install_known(row, one)
                   : is_listed(one) ? install_listed(row, one, *framework.version, facts)
                                    : install_both(row, *framework.version, facts);
    set_pin(one, row, framework, facts, conflict);
    return true;
}

bool set_companion(const InstalledCompanion& one, const Companion& row, const Expectation& framework,
                   const Facts& facts, Conflict& conflict) {
    if (!is_listed(one) && set_other_release(one, row, framework, facts, conflict)) return true;
    conflict.fix = install_again(row, one.version, framework);
    if (set_other_cuda(one, row, framework, conflict)) return true;
    if (is_listed(one) && set_other_release(one, row, framework, facts, conflict)) return true;
    if (!one.cxx_abi || !framework.cxx_abi || *one.cxx_abi == *framework.cxx_abi) return false;
    conflict.package_origin = one.cxx_abi.origin;
    conflict.message = SAY("is built with the {} std::string (_GLIBCXX_USE_CXX11_ABI={}), {} with the other",
                           *one.cxx_abi ? "new" : "old", *one.cxx_abi, conflict.other);
    return true;
}

void add_companions(const Expectation& framework, const Facts& facts, std::vector<Conflict>& conflicts) {
    if (framework.companions.empty() || !framework.version) return;
    for (const InstalledCompanion& one : framework.companions) {
        const Companion* row = companion_of(facts, framework.package, one.package);
        if (!row) continue;
        Conflict conflict = between(one.package, one.version, framework.package, framework.version);
        conflict.harm = row->harm;
        conflict.effect = row->effect;
        if (set_companion(one, *row, framework, facts, conflict)) conflicts.push_back(std::move(conflict));
    }
}

void add_jaxlib(const JaxPackages& packages, std::vector<Conflict>& conflicts) {
    const Known<Version>&jax = packages.jax, &jaxlib = packages.jaxlib, &lowest = packages.lowest_jaxlib;
    const bool too_new = *jaxlib > *jax, too_old = lowest && *jaxlib < *lowest;
    if (!too_new && !too_old) return;
    Conflict conflict = between("jaxlib", jaxlib, "jax", jax);
    conflict.message = too_new
                           ? SAY("is newer than {}", conflict.other)
                           : SAY("is older than {}, the oldest that {} takes", lowest->text, conflict.other);
    conflict.effect = "importing jax fails with a RuntimeError that says so";
    conflict.harm = Harm::import;
    conflict.wanted = (too_new ? *jax : *lowest).without_local();
    if (too_old) conflict.other_origin = lowest.origin;
    conflict.fix = pip_fix(SAY("'jaxlib=={}'", jax->without_local()));
    if (jax.origin.certainty == Certainty::predicted) {
        conflict.message += ", which pip takes without a pin of jax";
        conflict.package_origin.overridable = true;  // it has fitted once
        conflict.fix = {FixKind::manual,
                        SAY("pin jax, to a release that takes jaxlib {}", jaxlib->without_local())};
    }
    conflicts.push_back(std::move(conflict));
}

// jax 0.4.35 requires jaxlib 0.4.34 and a plugin of 0.4.34 or 0.4.35.
void add_plugin(const JaxPackages& packages, std::vector<Conflict>& conflicts) {
    const Known<Version>&plugin = packages.plugin_version, &jaxlib = packages.jaxlib;
    if (!plugin || *plugin == *jaxlib || (!packages.compares && packages.requires_it)) return;
    Conflict conflict = between(packages.plugin, plugin, "jaxlib", jaxlib);
    const bool newer = *plugin > *jaxlib;
    conflict.message = SAY("is not of the release of {}", conflict.other);
    conflict.effect = packages.compares ? "JAX warns that the plugin will not be used, and runs on the CPU"
                      : newer ? "this jaxlib does not compare them; a plugin with a newer PJRT than jaxlib's "
                                "ends JAX with 'Unexpected PJRT_Client_Create_Args size', 'Mismatched PJRT "
                                "plugin PJRT API version' or a crash"
                              : "this jaxlib does not compare them, and jax does not ask for this pair";
    conflict.harm = packages.compares || newer ? Harm::gpu : Harm::later;
    conflict.stops_gpu = conflict.harm == Harm::gpu;
    conflict.wanted = jaxlib->without_local();
    conflict.fix = pip_fix(SAY("'{}[with-cuda]=={}'", packages.plugin, jaxlib->without_local()));
    conflicts.push_back(std::move(conflict));
}

// A plugin and its library do not work without each other.
void add_half(const JaxPackages& packages, std::vector<Conflict>& conflicts) {
    if (packages.has_library && packages.has_modules) return;
    const std::string exactly =
        packages.plugin_version ? SAY("=={}", packages.plugin_version->without_local()) : "";
    Conflict conflict =
        between(packages.plugin, packages.plugin_version, packages.pjrt, packages.pjrt_version);
    if (!packages.has_library) {
        conflict.message = SAY("lacks the library of {}, xla_cuda_plugin.so", packages.pjrt);
        conflict.effect = "JAX finds no GPU and runs on the CPU";
        conflict.fix = pip_again_fix(SAY("'{}{}'", packages.pjrt, exactly));
    } else {
        conflict = between(packages.pjrt, packages.pjrt_version, packages.plugin, {});
        conflict.message = SAY("is installed without {}", packages.plugin);
        conflict.effect = "JAX says 'cuda_plugin_extension is not found', and its CUDA functions are missing";
        conflict.fix = pip_fix(SAY("'{}[with-cuda]{}'", packages.plugin, exactly));
    }
    conflict.harm = Harm::gpu;
    conflict.stops_gpu = true;
    conflicts.push_back(std::move(conflict));
}

Fix uninstall(const std::string& package, const std::string& then) {
    return command(SAY("{}{} && {}{}", k_pip_uninstall, package, k_pip_install_again, then));
}

bool asks_for(const Expectation& framework, const std::string& package) {
    return any_of(framework.asks_for,
                  [&](const std::string& asked) { return required_package(asked) == package; });
}

// NVIDIA's packages for two CUDA releases.
Conflict lost_library(const SharedFile& shared) {
    Conflict conflict = between(shared.package, shared.version, shared.other, shared.other_version);
    conflict.lost = nvidia_component(shared.package);
    conflict.message = SAY("has lost its {} to {}", file_of(shared.file), conflict.other);
    const bool older = shared.version && shared.other_version && *shared.other_version < *shared.version;
    conflict.effect = SAY("both bring {}, and the one installed last is there", shared.file);
    if (older)
        conflict.effect += ": what was built with the newer ends with 'undefined symbol', or calls fail";
    conflict.harm = older ? Harm::import : Harm::later;
    conflict.wanted = shared.version ? shared.version->text : "";
    conflict.fix = uninstall(shared.other, SAY("'{}=={}'", shared.package, conflict.wanted));
    return conflict;
}

bool is_triton(const UnmetPin& pin) { return nvidia_component(pin.package).empty(); }

// Another patch release of Triton works; torch.compile imports the inner modules of one minor release.
bool is_other_triton(const UnmetPin& pin) {
    return is_triton(pin) && pin.version && !same_release(*pin.version, pin.wanted);
}

// A newer library of the same name has the functions of the older one. CC302 compares cuDNN.
bool is_older_library(const UnmetPin& pin) {
    return !is_triton(pin) && nvidia_component(pin.package) != "cudnn" && pin.version &&
           !same_release(*pin.version, pin.wanted) && *pin.version < pin.wanted;
}

void add_triton(const Expectation& framework, std::vector<Conflict>& conflicts) {
    for (const UnmetPin& pin : framework.unmet_pins) {
        if (!is_other_triton(pin)) continue;
        Conflict conflict = between(pin.package, pin.version, framework.package, framework.version);
        conflict.message = SAY("is not the release that {} requires, {}", conflict.other, pin.wanted.text);
        conflict.effect =
            "torch.compile calls the inside of the Triton of its release: it ends with an ImportError, an "
            "AttributeError or a TypeError, and packages that bring kernels for Triton may too";
        conflict.harm = Harm::part;
        conflict.wanted = pin.wanted.text;
        conflict.fix = pip_fix(SAY("'{}=={}'", pin.package, pin.wanted.text));
        conflicts.push_back(std::move(conflict));
    }
}

// One command downgraded them together.
void add_older_libraries(const Expectation& framework, std::vector<Conflict>& conflicts) {
    std::vector<const UnmetPin*> older;
    for (const UnmetPin& pin : framework.unmet_pins)
        if (is_older_library(pin)) older.push_back(&pin);
    if (older.empty()) return;
    const UnmetPin& first = *older.front();
    Conflict conflict = between(first.package, first.version, framework.package, framework.version);
    const std::size_t more = older.size() - 1;
    conflict.message =
        SAY("{} older than {} requires ({})", more ? SAY("and {} more are", more) : std::string("is"),
            conflict.other, first.wanted.text);
    conflict.effect =
        "it was built with the newer ones: what they lack ends with 'undefined symbol', or calls fail";
    conflict.harm = Harm::part;
    conflict.wanted = first.wanted.text;
    std::string packages;
    for (const UnmetPin* pin : older) packages += SAY(" '{}=={}'", pin->package, pin->wanted.text);
    conflict.fix = pip_fix(packages.substr(1));
    conflicts.push_back(std::move(conflict));
}

}  // namespace

Conflict conflict_of_builds(const SharedFile& shared) {
    const bool later = shared.owner == shared.other || !shared.mixed;
    Conflict conflict = later ? between(shared.other, shared.other_version, shared.package, shared.version)
                              : between(shared.package, shared.version, shared.other, shared.other_version);
    conflict.builds = &shared;
    conflict.message = SAY("is installed over the same files as {}", conflict.other);
    if (!shared.mixed) {
        const bool lost = shared.owner == shared.other;
        conflict.effect = lost ? SAY("the files there are from {}, which has no CUDA", conflict.package)
                               : "the next update or removal of either takes files of the other";
        conflict.harm = lost ? Harm::gpu : Harm::later;
        conflict.stops_gpu = lost;
        return conflict;
    }
    conflict.effect =
        shared.owner.empty()
            ? "the folder holds files of both: modules of the one call libraries of the CUDA of "
              "the other, and removing either package takes files of both"
            : SAY("the files there are from {}, and removing either package takes files of both",
                  conflict.package);
    conflict.harm = Harm::part;
    return conflict;
}

Fix lost_files_fix(const Scenario& scenario, const Expectation& framework, const std::string& component) {
    for (const SharedFile& shared : framework.shared_files) {
        if (nvidia_component(shared.package) != component || !shared.version) continue;
        for (const Expectation& one : scenario.expectations)
            if (&one != &framework && asks_for(one, shared.other))
                return by_hand(SAY("install {} and {} in two environments: {} and {} have the same files",
                                   framework.package, one.package, shared.package, shared.other));
        return uninstall(shared.other, SAY("'{}=={}'", shared.package, shared.version->text));
    }
    return {};
}

std::vector<Conflict> package_conflicts(const Expectation& framework, const Facts& facts) {
    std::vector<Conflict> conflicts;
    if (framework.jax.jax && framework.jax.jaxlib) add_jaxlib(framework.jax, conflicts);
    if (!framework.jax.plugin.empty()) {
        if (framework.jax.jaxlib) add_plugin(framework.jax, conflicts);
        add_half(framework.jax, conflicts);
    }
    add_companions(framework, facts, conflicts);
    add_triton(framework, conflicts);
    add_older_libraries(framework, conflicts);
    for (const SharedFile& shared : framework.shared_files)
        conflicts.push_back(nvidia_component(shared.package).empty() ? conflict_of_builds(shared)
                                                                     : lost_library(shared));
    return conflicts;
}

}  // namespace ptxguard
