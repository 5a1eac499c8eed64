// SPDX-License-Identifier: Apache-2.0
#include "recipes/resolution/refusals.hpp"

#include "facts/package_names.hpp"
#include "facts/pypi.hpp"
#include "facts/recipe_tables.hpp"
#include "facts/variants.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/specifier.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/recipe.hpp"
#include "recipes/containers/images.hpp"
#include "recipes/resolution/candidates.hpp"
#include "recipes/resolution/resolution.hpp"

namespace ptxguard::recipes {
namespace {

// Only the newest release is one; a range takes it.
bool takes_placeholder(const PackageName& name, const RecipePin& pin) {
    if (!name.from) return true;
    return pin.version ? *name.from == *pin.version : accepts(pin.specifier, *name.from);
}

bool has_known_range(const RecipePin& pin) {
    return !pin.specifier.empty() && !pin.open && !pin.pre && pin.specifier.find('$') == npos;
}

// PyTorch's indexes have the same releases of these as PyPI.
bool is_of_pytorch(const std::string& package) {
    return package == "torch" || package == "torchvision" || package == "torchaudio" ||
           package == "torchtext";
}
bool has_releases_of_pypi(const RecipeIndex& index, const std::string& package) {
    return is_of_releases(index) && is_of_pytorch(package);
}

constexpr int k_months_of_nightlies = 4;
// Of a day, from the year 0: "20220921", "2022-09-21"; another text is far in the future.
int months_of(const std::string& day) {
    const std::string digits = replace_all(day, "-", "").substr(0, 8);
    constexpr int k_never = 1000000;
    if (digits.size() < 8 || !all_digits(digits)) return k_never;
    return std::stoi(digits.substr(0, 4)) * 12 + std::stoi(digits.substr(4, 2));
}

// What is there is kept.
bool is_kept(const RecipePin& pin, const InstalledPackages& here) {
    return !pin.version && !pin.upgrade && here.count(pin.package) != 0;
}

// paddlepaddle-gpu 3.0.0: only an index of the project's own has it.
bool has_moved(const Facts& facts, const Version& version, const std::string& package) {
    const auto& all = recipe_tables(facts).moved_from_pypi;
    return any_of(all,
                  [&](const FirstRelease& one) { return one.package == package && *one.from <= version; });
}

}  // namespace

// "3.11", "3.12 and newer"
std::string python_named(const MarkerEnvironment& markers) {
    return markers.python.empty() ? markers.python_from + " and newer" : markers.python;
}

std::string pythons_of(const PypiRow& row) {
    if (!row.python_from) return row.python;
    return row.python_from->text + (row.python_to ? " to " + row.python_to->text : "");
}

RefusedPin refused(const RecipePin& pin, Refusal why) {
    RefusedPin one;
    one.why = why;
    one.package = pin.package;
    one.pinned = pin.package + pin.specifier;
    one.group = pin.group;
    one.origin = pin.origin;
    return one;
}

Refusals::Refusals(const Facts& facts, const MarkerEnvironment& markers, bool is_open, RecipeFacts& recipe)
    : m_facts(facts),
      m_markers(markers),
      m_usual(usual(markers)),
      m_recipe(recipe),
      m_is_open(is_open),
      m_adds_index(
          any_of(recipe.pins, [](const RecipePin& one) { return one.package == "nvidia-pyindex"; })) {}

void Refusals::add(const Pins& pins, const InstalledPackages& here, const InstalledPackages& chosen) {
    refuse_index(pins, here);
    refuse_twice(pins);
    for (const RecipePin* pin : pins) {
        if (!pin->unreadable.empty()) continue;
        refuse_wheel(*pin);
        refuse_old_glibc(*pin);
        refuse_name(*pin, here);
        refuse_constraint(*pin);
        if (m_recipe.platform && !m_is_open && !pin->origin.overridable)
            refuse_platform(*pin, chosen);
        else if (m_markers.system == "linux" && !pin->origin.overridable)
            refuse_linux(*pin);
        if (!pin->version) {
            refuse_range(*pin);
            continue;
        }
        refuse_release(*pin);
        refuse_prerelease(*pin);
        refuse_nightly(*pin);
        refuse_jaxlib(*pin);
        refuse_local(*pin);
        refuse_unlisted(*pin);
        if (!pin->no_deps) refuse_set(*pin, chosen);
    }
}

void Refusals::refuse_name(const RecipePin& pin, const InstalledPackages& here) {
    if (m_adds_index || !asks_indexes(pin)) return;
    const auto name = name_fault(m_facts, pin.package);
    if (!name) return;
    const Feeds feeds = feeds_of(m_facts, m_recipe, pin);
    if (feeds.other || !feeds.pypi) return;
    if (name->fault == NameFault::placeholder && !takes_placeholder(*name, pin)) return;
    // A release is named that the other project has.
    if (name->fault == NameFault::other && !pin.specifier.empty()) return;
    if (is_kept(pin, here)) return;
    RefusedPin one = refused(pin, name->fault == NameFault::absent        ? Refusal::no_package
                                  : name->fault == NameFault::placeholder ? Refusal::placeholder
                                                                          : Refusal::other_name);
    one.wanted = name->instead;
    one.wanted_origin = name->origin;
    m_recipe.refused.push_back(std::move(one));
}

std::optional<RefusedPin> Refusals::absent_from_index(const RecipePin& pin,
                                                      const InstalledPackages& here) const {
    if (!asks_indexes(pin) || !pin.by_pip() || is_kept(pin, here)) return std::nullopt;
    const Feeds feeds = feeds_of(m_facts, m_recipe, pin);
    if (feeds.pypi || feeds.other || !feeds.only_pytorch) return std::nullopt;
    const PytorchIndex* row = recipe_tables(m_facts).pytorch_index_without(pin.package);
    if (!row) return std::nullopt;
    RefusedPin one = refused(pin, Refusal::no_package);
    one.pinned = pin.package;
    one.by = feeds.only_pytorch->url;
    one.by_origin = feeds.only_pytorch->origin;
    one.wanted_origin = row->origin;
    one.origin.overridable = one.origin.overridable || (m_is_open && !pin.version);
    return one;
}

// --index-url https://download.pytorch.org/whl/cu121 in place of PyPI, and packages that are not there: once
// for a command.
void Refusals::refuse_index(const Pins& pins, const InstalledPackages& here) {
    if (m_adds_index) return;
    RefusedPin all;
    std::size_t count = 0;
    constexpr std::size_t k_named = 3;
    for (const RecipePin* pin : pins) {
        auto one = absent_from_index(*pin, here);
        if (!one || ++count > k_named) continue;
        if (count == 1)
            all = std::move(*one);
        else
            all.pinned += ", " + pin->package;
    }
    if (count > k_named) all.pinned += " and " + std::to_string(count - k_named) + " more";
    if (count > 0) m_recipe.refused.push_back(std::move(all));
}

// flash_attn-2.7.4-cp311-cp311-linux_x86_64.whl: a file for one Python.
void Refusals::refuse_wheel(const RecipePin& pin) {
    const std::vector<std::string> parts = split(pin.wheel, "-");
    const std::string& python = m_markers.python;
    if (pin.origin.overridable) return;  // of several branches, the one for this Python is taken
    if (parts.size() < 5 || (python.empty() && m_markers.python_from.empty())) return;
    const std::string& tag = parts[parts.size() - 3];
    const std::string& abi = parts[parts.size() - 2];
    if (!starts_with(tag, "cp3") || tag.size() < 4 || abi == "abi3" || abi == "none" ||
        tag.find('.') != std::string::npos)
        return;
    const std::string wanted = "3." + tag.substr(3);
    if (python.empty() ? allows_python(">=" + m_markers.python_from, wanted) : wanted == python) return;
    RefusedPin one = refused(pin, Refusal::no_python);
    one.pinned = pin.wheel;
    one.by = python_named(m_markers);
    one.by_origin = m_recipe.python.origin;
    one.wanted = wanted;
    one.wanted_origin = pin.origin;
    m_recipe.refused.push_back(std::move(one));
}

void Refusals::refuse_release(const RecipePin& pin) {
    const Feeds feeds = feeds_of(m_facts, m_recipe, pin);
    const PypiPackage* table = pypi_package(m_facts, pin.package);
    if (!table || !asks_indexes(pin)) return;
    if (feeds.other) return refuse_release_of_page(pin, feeds);
    const bool plain = pin.version->local().empty();
    if (plain && refuse_never_released(pin, feeds, *table)) return;
    const RecipeIndex* index = plain && !feeds.pypi ? feeds.pytorch : nullptr;
    const std::string build = index ? index->build : lower(pin.version->local());
    if (refuse_build(pin, build, index ? index->origin : pin.origin)) return;
    if (const PypiRow* row = pypi_row(m_facts, pin.package, *pin.version)) refuse_python(pin, *row);
}

// Pages with all builds of a release have them for the same Pythons. Those of other projects have wheels for
// torch, beside PyTorch's index hardly torch itself.
void Refusals::refuse_release_of_page(const RecipePin& pin, const Feeds& feeds) {
    const bool open = feeds.foreign || (feeds.page && !feeds.pytorch);
    const PypiRow* row = open ? nullptr : pypi_row(m_facts, pin.package, *pin.version);
    if (row && is_of_pytorch(pin.package)) refuse_python(pin, *row, !feeds.page);
}

bool Refusals::refuse_never_released(const RecipePin& pin, const Feeds& feeds, const PypiPackage& table) {
    const bool listed = feeds.pytorch ? has_releases_of_pypi(*feeds.pytorch, pin.package) : feeds.pypi;
    const bool moved = has_moved(m_facts, *pin.version, pin.package);
    if (!listed || !(table.never_released(pin.version->text) || moved)) return false;
    // Of onnxruntime-gpu some releases were withdrawn: what is not there may have been.
    const bool complete =
        m_facts.framework_releases(pin.package).empty() || m_facts.release_list(pin.package);
    RefusedPin one = refused(pin, Refusal::no_release);
    // Who installs the requirements of a file may name the project's own index.
    const bool of_file = moved && m_recipe.kind == to_string(RecipeKind::requirements);
    if (!complete || of_file) one.by = "PyPI";
    one.wanted = releases_around(table, pin.version->text);
    one.wanted_origin = table.rows.back().origin;
    m_recipe.refused.push_back(std::move(one));
    return true;
}

bool Refusals::refuse_build(const RecipePin& pin, const std::string& build, const Origin& named_by) {
    if (pin.package != "torch" || !cuda_of_tag(build) ||
        published_build(m_facts, "torch", *pin.version, build) != Published::no)
        return false;
    RefusedPin one = refused(pin, Refusal::no_build);
    one.by = build;
    one.by_origin = named_by;
    if (const FrameworkRelease* release = m_facts.framework_release("torch", *pin.version)) {
        one.wanted = joined(release->variants, ", ");
        one.wanted_origin = release->origin;
    }
    m_recipe.refused.push_back(std::move(one));
    return true;
}

// pip ignores files whose Requires-Python excludes its Python, and builds a source archive for any other.
// The table has the Pythons of the wheels for Linux; those of PyTorch for Windows are the same.
bool Refusals::excludes_python(const std::string& package, const PypiRow& row) const {
    if (m_markers.python.empty() && !m_markers.python_from.empty())
        return m_markers.system == "linux" && row.linux_wheel && !row.sdist && row.python_to &&
               *row.python_to < *parse_version(m_markers.python_from);
    if (!allows_python(row.python, m_markers.python)) return true;
    const bool on_linux = row.linux_wheel && m_markers.system == "linux";
    const bool on_windows = row.windows_wheel && m_markers.system == "win32" && is_of_pytorch(package);
    return (on_linux || on_windows) && !row.sdist && !fits_python(row, m_markers.python);
}

// cupy-cuda117==11.0.0b3: of that package no release followed it. A page of files may have it all the same.
void Refusals::refuse_prerelease(const RecipePin& pin) {
    const ReleaseList* list = m_facts.release_list(pin.package);
    const Version& version = *pin.version;
    if (!list || !version.is_prerelease() || !version.local().empty() || pin.source || !pin.wheel.empty())
        return;
    const Feeds feeds = feeds_of(m_facts, m_recipe, pin);
    if (!feeds.pypi || !(list->from < version && version < list->to)) return;
    for (const Version& release : list->releases)
        if (same_release(release, version)) return;
    RefusedPin one = refused(pin, Refusal::no_release);
    one.origin.overridable = one.origin.overridable || feeds.other || feeds.pytorch;
    for (const Version& release : list->releases)
        one.wanted += (one.wanted.empty() ? "" : ", ") + release.text;
    one.wanted_origin = list->origin;
    m_recipe.refused.push_back(std::move(one));
}

// torch==1.13.0.dev20220921+cu116: nightly builds are deleted after some weeks.
void Refusals::refuse_nightly(const RecipePin& pin) {
    const std::size_t dev = pin.version->text.find("dev20");
    const PypiPackage* table = pypi_package(m_facts, "torch");
    if (dev == npos || !table || !is_of_pytorch(pin.package) || pin.source || !pin.wheel.empty()) return;
    const int age = months_of(table->read) - months_of(pin.version->text.substr(dev + 3));
    if (age <= k_months_of_nightlies) return;
    RefusedPin one = refused(pin, Refusal::no_release);
    one.by = "PyTorch's index of nightly builds";
    one.wanted = "those of the last weeks";
    one.wanted_origin = table->rows.back().origin;
    m_recipe.refused.push_back(std::move(one));
}

// jaxlib==0.4.7+cuda118: JAX's page has had other local versions.
void Refusals::refuse_jaxlib(const RecipePin& pin) {
    const std::string local = lower(pin.version->local());
    const auto plain = parse_version(pin.version->without_local());
    if (pin.package != "jaxlib" || !starts_with(local, "cuda") || !plain || pin.source ||
        !pin.wheel.empty() || may_be_of_others(m_facts, m_recipe, pin))
        return;
    RefusedPin one = refused(pin, Refusal::no_build);
    for (const JaxlibBuilds& row : recipe_tables(m_facts).jaxlib_builds) {
        if (row.covers(local, *plain)) return;
        one.wanted_origin = row.origin;
        if ((row.from && *plain < *row.from) || (row.to && *row.to < *plain)) continue;
        one.wanted += (one.wanted.empty() ? "" : ", ") + row.form;
    }
    if (one.wanted.empty()) one.wanted = "a plugin, with jax[cuda12]";
    one.by = local;
    one.by_origin = pin.origin;
    m_recipe.refused.push_back(std::move(one));
}

void Refusals::refuse_python(const RecipePin& pin, const PypiRow& row, bool certain) {
    if (!excludes_python(pin.package, row)) return;
    RefusedPin one = refused(pin, Refusal::no_python);
    one.by = python_named(m_markers);
    one.by_origin = m_recipe.python.origin;
    if (!certain) one.by_origin.certainty = Certainty::predicted;
    // A wheel for the stable ABI names the oldest Python whose ABI it needs, not the oldest that it supports.
    const bool of_stable_abi = row.python_from && !allows_python(row.python, row.python_from->text);
    one.wanted = of_stable_abi ? row.python : pythons_of(row);
    one.wanted_origin = row.origin;
    m_recipe.refused.push_back(std::move(one));
}

// torch>=2.6 for Python 3.8: each release that the range accepts requires another Python.
// torch==2.6.* from the index of cu121, which ended with 2.5.1.
bool Refusals::refuse_range_of_index(const RecipePin& pin, const Feeds& feeds) {
    const std::string build = feeds.pytorch ? feeds.pytorch->build : "";
    const bool only_index = feeds.pytorch && !feeds.pypi && !feeds.other;
    if (pin.package != "torch" || !has_known_range(pin) || !only_index ||
        !has_releases_of_pypi(*feeds.pytorch, pin.package) || !cuda_of_tag(build))
        return false;
    const FrameworkRelease* newest = nullptr;
    for (const Version& version : m_facts.framework_releases("torch")) {
        if (!accepts(pin.specifier, version)) continue;
        if (published_build(m_facts, "torch", version, build) != Published::no) return false;
        newest = m_facts.framework_release("torch", version);
    }
    if (!newest) return false;
    RefusedPin one = refused(pin, Refusal::no_build);
    one.by = build;
    one.by_origin = feeds.pytorch->origin;
    one.wanted = joined(newest->variants, ", ");
    one.wanted_origin = newest->origin;
    m_recipe.refused.push_back(std::move(one));
    return true;
}

void Refusals::refuse_range(const RecipePin& pin) {
    const Feeds feeds = feeds_of(m_facts, m_recipe, pin);
    if (refuse_range_of_index(pin, feeds)) return;
    const PypiPackage* table = pypi_package(m_facts, pin.package);
    const bool known = !m_markers.python.empty() || !m_markers.python_from.empty();
    if (feeds.other || !table || !asks_indexes(pin) || !known || pin.specifier.find('$') != npos) return;
    const PypiRow* refusing = nullptr;
    for (const PypiRelease& release : table->releases) {
        const PypiRow& row = table->row(release);
        if (row.yanked || !accepts(pin.specifier, release.version)) continue;
        if (!excludes_python(pin.package, row)) return;
        if (!refusing || m_markers.python.empty()) refusing = &row;
    }
    if (refusing) refuse_python(pin, *refusing);
}

}  // namespace ptxguard::recipes
