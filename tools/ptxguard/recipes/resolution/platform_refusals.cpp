// Packages without a file for the system or machine of the recipe.
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "facts/pypi.hpp"
#include "facts/recipe_tables.hpp"
#include "model/text.hpp"
#include "python/specifier.hpp"
#include "recipes/resolution/refusals.hpp"

namespace ptxguard::recipes {
namespace {

// "Linux on x86-64, Windows"
std::string systems_of(const PypiRow& row) {
    const std::string newer = row.glibc ? " with glibc " + row.glibc->text : "";
    const std::pair<bool, std::string> systems[] = {
        {row.linux_wheel, "Linux on x86-64" + newer},
        {row.aarch64_wheel, "Linux on ARM" + newer},
        {row.musl_wheel || row.musl_aarch64_wheel, "Alpine Linux"},
        {row.windows_wheel, "Windows"},
        {row.macos_arm_wheel, "macOS"},
        {row.macos_intel_wheel && !row.macos_arm_wheel, "macOS on Intel"}};
    std::string text;
    for (const auto& [has, system] : systems)
        if (has) text += (text.empty() ? "" : ", ") + system;
    return text;
}

// 2.28 of vllm-0.12.0-cp38-abi3-manylinux_2_28_x86_64.whl: the oldest of several. Nothing for others.
std::optional<Version> glibc_of_wheel(const std::string& file) {
    std::optional<Version> oldest;
    for (const std::string& tag : split(file.substr(file.rfind('-') + 1), ".")) {
        const std::vector<std::string> parts = split(tag, "_");
        if (starts_with_any(tag, {"manylinux1_", "manylinux20", "linux_"})) return std::nullopt;
        const bool named = parts.size() > 3 && parts[0] == "manylinux";
        const auto version = named ? parse_version(parts[1] + "." + parts[2]) : std::nullopt;
        if (version && (!oldest || *version < *oldest)) oldest = version;
    }
    return oldest;
}

// PyTorch's index of one CUDA, in place of PyPI.
bool has_only_cuda(const Feeds& feeds) {
    return feeds.pytorch && !feeds.pypi && cuda_of_tag(feeds.pytorch->build);
}

}  // namespace

// The newest release that the range accepts, if none of them has a file for this system.
const PypiRow* Refusals::without_file(const PypiPackage& table, const std::string& range) const {
    const bool exact = exact_version(range).has_value();
    const PypiRow* newest = nullptr;
    for (const PypiRelease& release : table.releases) {
        const PypiRow& row = table.row(release);
        if ((row.yanked && !exact) || !accepts(range, release.version)) continue;
        if (has_file_for(row, m_markers) != Truth::no) return nullptr;
        newest = &row;
    }
    return newest && !systems_of(*newest).empty() ? newest : nullptr;
}

RefusedPin& Refusals::refuse_platform(const RecipePin& pin, const std::string& builds) {
    RefusedPin one = refused(pin, Refusal::no_platform);
    one.by = *m_recipe.platform;
    one.by_origin = m_recipe.platform.origin;
    one.wanted = builds;
    m_recipe.refused.push_back(std::move(one));
    return m_recipe.refused.back();
}

// onnxruntime-gpu on ARM, tensorflow[and-cuda] on Windows: neither a wheel nor a source archive.
void Refusals::refuse_platform(const RecipePin& pin, const InstalledPackages& chosen) {
    const Feeds feeds = feeds_of(m_facts, m_recipe, pin);
    if (feeds.pytorch) return refuse_build_for_platform(pin);
    const PypiPackage* table = pypi_package(m_facts, pin.package);
    if (feeds.other || !feeds.pypi || !table || !asks_indexes(pin)) return;
    if (pin.version && !pin.version->local().empty()) return refuse_build_for_platform(pin);
    if (const PypiRow* row = without_file(*table, pin.specifier)) {
        refuse_platform(pin, systems_of(*row)).wanted_origin = row->origin;
        return;
    }
    const auto taken = chosen.find(pin.package);
    if (taken != chosen.end() && taken->second.version && !pin.no_deps)
        refuse_required_platform(pin, taken->second);
}

// onnxruntime-gpu of rembg[gpu] on ARM.
void Refusals::refuse_required_platform(const RecipePin& pin, const Installed& taken) {
    const PypiRow* own = pypi_row(m_facts, pin.package, *taken.version);
    // Wheels for other systems may require other packages, other than by extras.
    const bool for_any = own && own->musl_aarch64_wheel && own->macos_intel_wheel && own->windows_wheel;
    for (const Requirement& required : own ? own->required : std::vector<Requirement>{}) {
        if (!for_any && required.marker.find("extra") == npos) continue;
        const PypiPackage* other = pypi_package(m_facts, required.name);
        if (!other || !applies(required, pin, m_markers, Truth::yes)) continue;
        const PypiRow* row = without_file(*other, required.specifier);
        if (!row) continue;
        RefusedPin& one = refuse_platform(pin, systems_of(*row));
        one.package = required.name;
        one.required_by = pin.package + " " + taken.version->text;
        one.pinned = required.name + required.specifier;
        one.wanted_origin = row->origin;
        // pip may find an older release without that requirement.
        if (taken.newest) one.by_origin.certainty = Certainty::predicted;
        return;
    }
}

// That of the releases that the pin accepts, if none of them has a file for this system. PyTorch's indexes
// have theirs for the same C library as PyPI.
const PypiRow* Refusals::row_for_linux(const RecipePin& pin) const {
    const Feeds feeds = feeds_of(m_facts, m_recipe, pin);
    const PypiPackage* table = pypi_package(m_facts, pin.package);
    if (feeds.other || !table || !asks_indexes(pin)) return nullptr;
    if (!feeds.pytorch && (!pin.version || pin.version->local().empty()))
        return feeds.pypi ? without_file(*table, pin.specifier) : nullptr;
    const PypiRow* row = pin.version ? pypi_row(m_facts, pin.package, *pin.version) : nullptr;
    const bool same = row && recipe_tables(m_facts).is_built_by_pytorch(pin.package);
    return same && needs_newer_glibc(*row, m_markers) ? row : nullptr;
}

// dgl==2.2.1: PyPI has it for Windows and macOS only; torch==2.7.0 is for a newer Linux than Ubuntu 18.04.
void Refusals::refuse_linux(const RecipePin& pin) {
    const PypiRow* row = row_for_linux(pin);
    const bool old = row && needs_newer_glibc(*row, m_markers);
    if (!row ||
        (!old && (row->linux_wheel || row->aarch64_wheel || row->musl_wheel || row->musl_aarch64_wheel)))
        return;
    RefusedPin one = refused(pin, Refusal::no_platform);
    one.by = old ? "Linux with glibc " + m_markers.glibc : "Linux";
    one.by_origin = m_recipe.image.name.empty() ? pin.origin : m_recipe.image.origin;
    one.wanted = systems_of(*row);
    one.wanted_origin = row->origin;
    m_recipe.refused.push_back(std::move(one));
}

// torch==2.3.1+cu121 on macOS and on ARM. PyTorch's own pages have builds for ARM since CUDA 12.4.
void Refusals::refuse_build_for_platform(const RecipePin& pin) {
    const Feeds feeds = feeds_of(m_facts, m_recipe, pin);
    const auto cuda = pin.version ? cuda_of_tag(lower(pin.version->local())) : std::nullopt;
    if (!asks_indexes(pin) || m_markers.system == "win32") return;
    if (!cuda && m_markers.system == "darwin" && has_only_cuda(feeds)) {
        RefusedPin& one = refuse_platform(pin, "Linux, Windows");
        one.pinned += " of " + feeds.pytorch->url;
        one.by_origin.certainty = Certainty::predicted;  // the page may list builds for CPUs too
    }
    if (!cuda) return;
    const bool on_arm = m_markers.system == "linux" && !m_markers.musl;
    const FirstRelease* row =
        first_where(recipe_tables(m_facts).aarch64_builds, [&](const FirstRelease& first) {
            return first.package == pin.package && (*cuda < *first.cuda || *pin.version < *first.from);
        });
    if (on_arm && !row) return;
    refuse_platform(pin, on_arm ? "Linux on x86-64, Windows" : "Linux, Windows").wanted_origin =
        row ? row->origin : Origin{};
}

// flash_attn-2.8.2+cu12torch2.5cxx11abiFALSE-cp310-cp310-linux_x86_64.whl on Ubuntu 20.04.
void Refusals::refuse_old_glibc(const RecipePin& pin) {
    const auto here = parse_version(m_markers.glibc);
    if (!here || m_markers.musl || pin.wheel.empty()) return;
    if (const auto named = glibc_of_wheel(pin.wheel); named && *here < *named) {
        RefusedPin one = refused(pin, Refusal::no_platform);
        one.pinned = pin.wheel;
        one.by = "Linux with glibc " + here->text;
        one.by_origin = m_recipe.image.origin;
        one.wanted = "Linux with glibc " + named->text;
        one.wanted_origin = pin.origin;
        m_recipe.refused.push_back(std::move(one));
        return;
    }
    if (!pin.version) return;
    for (const WheelGlibc& row : recipe_tables(m_facts).wheel_glibcs) {
        if (row.package != pin.package || *pin.version < *row.from || !(*here < *row.glibc)) continue;
        RefusedPin one = refused(pin, Refusal::old_glibc);
        one.by = here->text;
        one.by_origin = m_recipe.image.origin;
        one.wanted = row.glibc->text;
        one.wanted_origin = row.origin;
        m_recipe.refused.push_back(std::move(one));
    }
}

}  // namespace ptxguard::recipes
