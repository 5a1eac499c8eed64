// SPDX-License-Identifier: Apache-2.0
#include "recipes/resolution/candidates.hpp"

#include <functional>
#include <utility>

#include "facts/libraries.hpp"
#include "facts/recipe_tables.hpp"
#include "facts/variants.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/specifier.hpp"
#include "recipes/containers/images.hpp"

namespace ptxguard::recipes {
namespace {

bool is_pytorch(const RecipeIndex& index) {
    return index.url.find("download.pytorch.org") != std::string::npos;
}
// https://mirrors.aliyun.com/pytorch-wheels/cu118: a page for --find-links
bool is_copy_of_pytorch(const RecipeIndex& index) {
    return index.use == IndexUse::links && index.url.find("/pytorch-wheels") != std::string::npos;
}
bool is_of_jax(const RecipeIndex& index) { return index.url.find("jax-releases") != std::string::npos; }
// torch_stable.html, whl/torch: all builds of all releases, for each Python that PyPI has them for.
bool has_all_builds(const RecipeIndex& index) {
    return is_pytorch(index) && index.build.empty() && is_of_releases(index);
}
bool is_of_pypi(const RecipeIndex& index) { return has_only_pypi(index.url); }

bool has_file(const PypiRow& row, const MarkerEnvironment& markers) {
    if (has_file_for(row, markers) == Truth::no) return false;
    // The Pythons of wheels are those for Linux on x86-64.
    return row.linux_wheel || row.sdist ? fits_python(row, markers.python)
                                        : allows_python(row.python, markers.python);
}

// The release, if the range accepts it and a file of it is for that environment.
std::optional<Version> usable(const PypiRelease& release, const PypiRow& row,
                              const MarkerEnvironment& markers, const std::string& range) {
    const bool fits = !row.yanked && accepts(range, release.number) && has_file(row, markers);
    return fits ? parse_version(release.version) : std::nullopt;
}

bool has_torch_for(const Facts& facts, const RecipePin& pin, const Version& version, const PypiRow& row,
                   const std::string& build) {
    const Companion* companion = companion_of(facts, "torch", pin.package);
    const auto of = companion ? companion->framework_of(version) : std::nullopt;
    if (of && !newest_with_build(facts, "torch", "==" + of->release() + ".*", build)) return false;
    return all_of(row.required, [&](const Requirement& required) {
        return required.name != "torch" ||
               newest_with_build(facts, "torch", required.specifier, build).has_value();
    });
}

}  // namespace

bool has_only_pypi(std::string_view url) {
    if (url.find("nvidia") != std::string_view::npos) return false;
    return url.find("pypi.org") != std::string_view::npos || url.find("mirror") != std::string_view::npos ||
           url.find("://pypi.") != std::string_view::npos;
}

bool applies(const Requirement& required, const RecipePin& pin, const MarkerEnvironment& markers,
             Truth at_least) {
    if (required.marker.empty()) return true;
    MarkerEnvironment with_extras = markers;
    with_extras.extras = pin.extras;
    const Truth here = holds(required.marker, with_extras);
    return here == Truth::yes || here == at_least;
}

bool is_of_releases(const RecipeIndex& index) {
    for (const char* other : {"/nightly", "/test", "/lts"})
        if (index.url.find(other) != std::string::npos) return false;
    return true;
}

namespace {

// Whether an additional index may have the package. PyTorch's pages and JAX's have nothing of others but
// their own requirements.
bool may_serve(const RecipeTables& tables, const RecipeIndex& index, const std::string& package) {
    if (is_pytorch(index) && !tables.is_built_by_pytorch(package)) return false;
    if (is_of_jax(index) && !starts_with(package, "jax")) return false;
    return tables.may_have(index.url, package);
}

void add_feed(const RecipeIndex& index, bool of_pytorch, Feeds& feeds) {
    const bool builds = (is_pytorch(index) || is_copy_of_pytorch(index)) && !index.build.empty();
    const bool only = index.use == IndexUse::only;
    if (builds && of_pytorch) feeds.pytorch = &index;
    if (builds && only) feeds.only_pytorch = &index;
    if (is_of_pypi(index)) return;
    if (only) feeds.pypi = false;
    if (!builds) feeds.other = true;
    if (is_pytorch(index)) return;
    const bool page = index.use == IndexUse::links && starts_with(index.url, "http");
    (page ? feeds.page : feeds.foreign) = true;
}

}  // namespace

Feeds feeds_of(const Facts& facts, const RecipeFacts& recipe, const RecipePin& pin) {
    const RecipeTables& tables = recipe_tables(facts);
    const bool of_pytorch = tables.is_built_by_pytorch(pin.package);
    Feeds feeds;
    bool adds_pypi = false;  // --extra-index-url https://pypi.org/simple
    for (const RecipeIndex& index : recipe.indexes) {
        if (index.group != pin.group) continue;
        adds_pypi = adds_pypi || (index.use == IndexUse::extra && is_of_pypi(index));
        if (index.use != IndexUse::only && !may_serve(tables, index, pin.package)) continue;
        const bool named = pin.version && !pin.version->local().empty();
        if (named && has_all_builds(index) && of_pytorch) continue;
        add_feed(index, of_pytorch, feeds);
    }
    feeds.pypi = feeds.pypi || adds_pypi;
    return feeds;
}

bool differs_by_build(const Requirement& required, std::string_view build) {
    return !build.empty() && (starts_with_any(required.name, {"nvidia-", "cuda-"}) ||
                              (build == "cpu" && required.name == "triton"));
}

bool may_be_of_others(const Facts& facts, const RecipeFacts& recipe, const RecipePin& pin) {
    if (!pin.version || pin.version->local().empty()) return false;
    bool others = false;
    for (const RecipeIndex& index : recipe.indexes) {
        if (index.group != pin.group) continue;
        if (pin.package == "jaxlib" ? is_of_jax(index) : is_pytorch(index)) return false;
        const bool of_extensions = index.use == IndexUse::links && !index.build.empty();
        const bool known = is_of_jax(index) || is_pytorch(index) || is_of_pypi(index);
        if (!known && !of_extensions && recipe_tables(facts).may_have(index.url, pin.package)) others = true;
    }
    return others;
}

namespace {

// Whether PyTorch's index of one build has that release. It has the packages for the releases of torch that
// it has.
Published published_by(const Facts& facts, const RecipeIndex* pytorch, const RecipePin& pin,
                       const Version& version, const PypiRow& row) {
    if (!pytorch) return Published::no;
    if (pin.package == "torch") return published_build(facts, "torch", version, pytorch->build);
    return has_torch_for(facts, pin, version, row, pytorch->build) ? Published::yes : Published::no;
}

// `take` says whether it wants more of them.
void each_candidate(const Facts& facts, const RecipeFacts& recipe, const MarkerEnvironment& markers,
                    const RecipePin& pin, const std::string& range,
                    const std::function<bool(Candidate&&)>& take) {
    const Feeds feeds = feeds_of(facts, recipe, pin);
    const PypiPackage* table = pypi_package(facts, pin.package);
    // What another index has is not known; pip takes at least the newest of PyPI.
    if (!table || (feeds.other && (!feeds.pypi || pin.first_index))) return;
    const bool from_pypi = feeds.pypi && !(pin.first_index && feeds.pytorch);
    const bool needs_index = !from_pypi && (pin.package == "torch" || feeds.pytorch);
    const auto take_release = [&](const PypiRelease& release) {
        const PypiRow& row = table->row(release);
        const auto version = usable(release, row, markers, range);
        if (!version) return true;
        const Published published = published_by(facts, feeds.pytorch, pin, *version, row);
        if (needs_index && published != Published::yes) return true;
        return take({*version, &row, published == Published::yes ? feeds.pytorch->build : "",
                     published == Published::open});
    };
    if (const auto exact = exact_version(range)) {  // most of what packages require of NVIDIA's
        if (const PypiRelease* release = table->find(exact->without_local())) take_release(*release);
        return;
    }
    for (auto release = table->releases.rbegin(); release != table->releases.rend(); ++release)
        if (!take_release(*release)) return;
}

}  // namespace

std::vector<Candidate> candidates(const Facts& facts, const RecipeFacts& recipe,
                                  const MarkerEnvironment& markers, const RecipePin& pin,
                                  const std::string& range) {
    std::vector<Candidate> found;
    each_candidate(facts, recipe, markers, pin, range, [&](Candidate&& one) {
        found.push_back(std::move(one));
        return true;
    });
    return found;
}

bool has_candidate(const Facts& facts, const RecipeFacts& recipe, const MarkerEnvironment& markers,
                   const RecipePin& pin, const std::string& range) {
    bool found = false;
    each_candidate(facts, recipe, markers, pin, range, [&](Candidate&&) {
        found = true;
        return false;
    });
    return found;
}

namespace {

// Pages with wheels of other projects for one build of torch (PyTorch Geometric, DGL) do not contain torch.
bool is_page_of_extensions(const RecipeIndex& index) {
    const bool of_others = !index.build.empty() || is_of_jax(index);
    const bool of_pytorch = index.url.find("pytorch") != npos && index.url.find("pytorch3d") == npos;
    return index.use == IndexUse::links && of_others && !of_pytorch;
}

// PyPI, or one that is searched beside it.
bool has_known_builds(const RecipeIndex& index) {
    return index.use != IndexUse::links && (index.use != IndexUse::only || index.is_pypi());
}

// Each release has a build for CPUs.
Published published_in(const Facts& facts, const RecipePin& pin, const std::optional<Version>& version,
                       const RecipeIndex& index) {
    if (version) return published_build(facts, pin.package, *version, index.build);
    return index.build == "cpu" ? Published::yes : Published::no;
}

}  // namespace

Served served(const Facts& facts, const RecipeFacts& recipe, const RecipePin& pin,
              const std::optional<Version>& version) {
    Served served{true, "", nullptr};
    if (version && !version->local().empty()) {
        served.build = lower(version->local());
        return served;
    }
    // torch-2.1.0-cp310-cp310-linux_x86_64.whl: the page that has it decides, and only its file is known.
    if (!pin.wheel.empty()) served.known = false;
    const bool first_wins = pin.first_index;
    const bool by_pytorch = recipe_tables(facts).is_built_by_pytorch(pin.package);
    for (const RecipeIndex& index : recipe.indexes) {
        if (index.group != pin.group || (is_pytorch(index) && !by_pytorch) || is_page_of_extensions(index))
            continue;
        if (index.build.empty()) {
            served.known = served.known && has_known_builds(index);
            continue;
        }
        const Published has = published_in(facts, pin, version, index);
        if (index.use != IndexUse::only && has == Published::no && !first_wins) continue;
        served = {true, index.build, &index};
    }
    return served;
}

namespace {

Known<Version> cuda_of(const FrameworkRelease* release) {
    return release && release->cuda ? Known<Version>{*release->cuda, release->origin} : Known<Version>{};
}

Known<Version> cuda_of_companion(const Facts& facts, const std::string& package, const Version& version) {
    const Companion* companion = companion_of(facts, "torch", package);
    if (!companion || companion->wheels.empty()) return {};
    for (const FirstRelease& one : recipe_tables(facts).compares_cuda_from)
        if (one.package == package && version < *one.from) return {};
    const CompanionWheel* wheel = companion->wheel(version);
    if (wheel && wheel->cuda) return {*parse_version(std::to_string(wheel->cuda)), companion->origin};
    const auto of = wheel ? std::optional<Version>(wheel->of) : companion->framework_of(version);
    return of ? cuda_of(facts.framework_release("torch", *of)) : Known<Version>{};
}

}  // namespace

Known<Version> cuda_of_build(const Facts& facts, const std::string& package, const Known<Version>& version,
                             const std::string& build) {
    if (!version) return {};
    if (const auto cuda = cuda_of_tag(build)) return {*cuda, version.origin};
    const auto plain = build.empty() ? parse_version(version->without_local()) : std::nullopt;
    if (!plain) return {};
    const Known<Version> own = cuda_of(facts.framework_release(package, *plain));
    return own ? own : cuda_of_companion(facts, package, *plain);
}

std::string likely_python(const Facts& facts, const std::string& image, const std::string& package,
                          const Version& version) {
    const std::string python = python_of_image(facts, image, version);
    const PypiRow* row = python.empty() ? pypi_row(facts, package, version) : nullptr;
    return row && row->python_from ? row->python_from->text : python;
}

std::string releases_around(const PypiPackage& table, const std::string& version) {
    std::string before, after;
    for (const PypiRelease& release : table.releases) {
        if (is_older_release(release.version, version))
            before = release.version;
        else if (after.empty())
            after = release.version;
    }
    return before.empty() || after.empty() ? before + after : before + ", " + after;
}

}  // namespace ptxguard::recipes
