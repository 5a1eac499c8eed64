// A named toolkit release or package does not exist.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <optional>

#include <set>

#include "facts/recipe_tables.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/rules/CC620_toolkit_release_missing/parts.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

std::string updates_of(const CudaRelease& release) {
    std::vector<std::string> all;
    for (const Version& update : release.updates) all.push_back(update.text);
    return list(all);
}

// The tables lack some updates of older releases.
bool is_listed_whole(const CudaRelease& release) {
    return release.release.major() >= 12 && !release.updates.empty();
}

// In the range of the tables, but not listed.
bool never_was(const Facts& facts, const Version& cuda) {
    const auto releases = facts.cuda_releases();
    if (releases.empty() || cuda.numbers.size() < 2 || cuda < releases.front()) return false;
    return !facts.cuda(cuda) && cuda < releases.back();
}

std::string neighbours(const Facts& facts, const Version& cuda) {
    std::vector<std::string> near;
    for (const Version& release : facts.cuda_releases())
        if (release.major() == cuda.major()) near.push_back(release.text);
    return near.empty() ? "a release of CUDA" : SAY("one of {}", list(near));
}

// nvidia/label/cuda-12.4.4
void judge_labels(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const RecipeIndex& index : scenario.recipe.indexes) {
        const std::size_t at = index.url.find("nvidia/label/cuda-");
        if (at == npos) continue;
        const std::string number =
            index.url.substr(at + 18, index.url.find_first_of("/]", at + 18) - at - 18);
        const auto version = parse_version(number);
        const CudaRelease* release = version ? facts.cuda(*version) : nullptr;
        if (!release || !is_listed_whole(*release) || version->numbers.size() < 3) continue;
        const auto& updates = release->updates;
        if (contains(updates, *version)) continue;
        if (release->updates.back() < *version && release->release == facts.cuda_releases().back()) continue;
        say({SAY("nvidia/label/cuda-{}", number), SAY("one of {}", updates_of(*release)), index.origin,
             release->origin},
            "the channel has one label for each update of CUDA", findings);
    }
}

// nvidia/label/cuda-12.0.1::cuda-toolkit=11.8: a label has the packages of its own release only.
void judge_labelled(const RecipeFacts& recipe, Findings& findings) {
    static const std::set<std::string> k_numbered{"cuda-toolkit",   "cuda-nvcc",    "cuda-compiler",
                                                  "cuda-libraries", "cuda-runtime", "cuda"};
    const std::string label = "nvidia/label/cuda-";
    for (const RecipePin& pin : recipe.pins) {
        if (pin.by != "conda" || !pin.version || pin.version->numbers.size() < 2 ||
            k_numbered.count(pin.package) == 0)
            continue;
        for (const RecipeIndex* index : indexes_of(recipe, pin)) {
            // The channel of this package alone: it is written before its name.
            if (index->origin.line != pin.origin.line || !starts_with(index->url, label)) continue;
            const auto release = parse_version(index->url.substr(label.size()));
            if (release && !same_release(*release, *pin.version))
                say({SAY("{}::{}", index->url, text_of(pin)), SAY("{}={}", pin.package, release->text),
                     pin.origin, index->origin},
                    SAY("the label has the packages of CUDA {} only", release->text), findings);
        }
    }
}

// conda packages with CUDA's version numbers.
void judge_conda_package(const CondaReleases& row, const RecipePin& pin, Findings& findings) {
    const Version& version = *pin.version;
    if (row.last) {
        const bool newer = version > *row.last && !same_release(version, *row.last);
        if (version.major() >= 5 && !newer) return;
        return say({text_of(pin), SAY("a release up to {}", row.last->text), pin.origin, row.origin},
                   newer ? SAY("{} ends with CUDA {}; {}", row.package, row.last->text, row.instead)
                         : "this is not the number of a CUDA release",
                   findings);
    }
    if (any_of(row.releases,
               [&](const std::string& one) { return same_release(*parse_version(one), version); }))
        return;
    say({text_of(pin), SAY("one of {}", list(row.releases)), pin.origin, row.origin}, row.instead, findings);
}

void judge_conda_toolkit(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const RecipePin& pin : scenario.recipe.pins) {
        if (pin.by != "conda" || !pin.version) continue;
        const Version& version = *pin.version;
        for (const CondaReleases& row : recipe_tables(facts).conda_packages)
            if (row.package == pin.package) judge_conda_package(row, pin, findings);
        if ((pin.package == "cuda-version" || pin.package == "cuda-toolkit") && never_was(facts, version))
            say({text_of(pin), neighbours(facts, version), pin.origin, {}}, "CUDA has no such release",
                findings);
    }
}

// cuda-cublas-12-4, cuda-cufft_dev-12-4: since CUDA 11 the packages of libraries are libcublas-12-4 and the
// like; the names of NVIDIA's installer for Windows are others.
void judge_names(const Scenario& scenario, Findings& findings) {
    for (const RecipePin& pin : scenario.recipe.pins) {
        if (pin.by != "apt" || !starts_with(pin.package, "cuda-")) continue;
        std::string name = pin.package.substr(5);
        const std::size_t end = name.find_first_of("0123456789");
        const auto release = end == npos || end == 0 ? std::nullopt : parse_version(name.substr(end));
        if (!release || release->major() < 11) continue;
        const std::string number = name.substr(end);
        name.resize(end - 1);
        const bool dev = ends_with(name, "-dev");
        const std::string base = dev ? name.substr(0, name.size() - 4) : name.substr(0, name.find('_'));
        bool library = false;
        for (const char* one :
             {"cublas", "cufft", "curand", "cusolver", "cusparse", "npp", "nvjpeg", "nvjitlink"})
            library = library || base == one;
        if (!library) continue;
        const std::string right = SAY("lib{}{}{}", base, dev || name != base ? "-dev-" : "-", number);
        say({pin.package, right, pin.origin, {}},
            "since CUDA 11 NVIDIA's packages of libraries start with lib", findings);
    }
}

// cuda-nvprof-13-0, cuda-memcheck-12-4: components that ended.
void judge_ended_components(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const RecipePin& pin : scenario.recipe.pins)
        for (const AptComponent& row : recipe_tables(facts).apt_components) {
            if (pin.by != "apt" || !starts_with(pin.package, SAY("{}-", row.component))) continue;
            const auto release =
                parse_version(replace_all(pin.package.substr(row.component.size() + 1), "-", "."));
            if (!release || release->numbers.size() != 2 || !facts.cuda(*release)) continue;
            const bool late = row.to && *row.to < *release, early = row.from && *release < *row.from;
            if (late || early)
                say({pin.package,
                     late ? SAY("{} up to CUDA {}", row.component, row.to->text)
                          : SAY("{} from CUDA {}", row.component, row.from->text),
                     pin.origin, row.origin},
                    SAY("CUDA {} has no such component", release->text), findings);
        }
}

// cuda-toolkit-12-7
void judge_apt(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const RecipePin& pin : scenario.recipe.pins) {
        if (pin.by != "apt") continue;
        for (const char* start : {"cuda-toolkit-", "cuda-nvcc-", "cuda-compiler-", "cuda-libraries-"}) {
            if (!starts_with(pin.package, start)) continue;
            std::string number = pin.package.substr(std::string(start).size());
            std::replace(number.begin(), number.end(), '-', '.');
            const auto version = parse_version(number);
            if (!version || !version->suffix.empty() || !never_was(facts, *version)) continue;
            say({pin.package, neighbours(facts, *version), pin.origin, {}}, "CUDA has no such release",
                findings);
        }
    }
}

void judge_image(const Scenario& scenario, const Facts& facts, Findings& findings) {
    const RecipeImage& image = scenario.recipe.image;
    if (image.name != "nvidia/cuda" || !image.cuda) return;
    const CudaRelease* release = facts.cuda(*image.cuda);
    if (never_was(facts, *image.cuda))
        return say({name_of(image), neighbours(facts, *image.cuda), image.origin, {}},
                   "CUDA has no such release", findings);
    if (!release || !is_listed_whole(*release) || image.cuda->numbers.size() < 3) return;
    if (*image.cuda <= release->updates.back()) return;
    if (release->release == facts.cuda_releases().back()) return;
    say({name_of(image), SAY("one of {}", updates_of(*release)), image.origin, release->origin},
        "this release of CUDA has no such update", findings);
}

// Jimver/cuda-toolkit@v0.2.19 with 12.8.0: an action installs the updates in its own table.
void judge_action(const ToolkitRequest& request, const Facts& facts, Findings& findings) {
    const ToolkitAction* last = nullptr;
    const ToolkitAction* with = nullptr;
    const auto wanted = parse_version(request.wanted);
    for (const ToolkitAction& row : recipe_tables(facts).toolkit_actions) {
        if (row.action != request.by) continue;
        last = &row;
        if (wanted && contains(row.updates, *wanted)) with = &row;
    }
    if (!last || !wanted || never_was(facts, *wanted)) return;
    const std::string name = with_release(request.by, request.installer);
    if (wanted->numbers.size() < 3)
        return say({SAY("{} with CUDA {}", request.by, request.wanted),
                    "all three numbers of the update",
                    request.origin,
                    {}},
                   "the action takes releases with three numbers only", findings);
    const bool known = request.installer && request.installer->numbers.size() > 2;
    if (!with) {
        if (*wanted > last->updates.back()) return;
        return say({SAY("CUDA {} in {}", request.wanted, request.by), "a release in its table",
                    request.origin, last->origin},
                   "the action ends with 'Version not available'", findings);
    }
    if (known && *request.installer < *with->from)
        say({SAY("CUDA {} in {}", request.wanted, name), SAY("{} v{} or newer", request.by, with->from->text),
             request.origin, with->origin},
            "the action ends with 'Version not available'", findings);
}

// developer.download.nvidia.com/compute/cuda/12.4.2/local_installers/...
void judge_download(const ToolkitRequest& request, const Facts& facts, Findings& findings) {
    const auto wanted = parse_version(request.wanted);
    const CudaRelease* release = wanted ? facts.cuda(*wanted) : nullptr;
    if (request.by != "download" || !release || !is_listed_whole(*release) || wanted->numbers.size() < 3)
        return;
    const auto& updates = release->updates;
    if (contains(updates, *wanted)) return;
    if (*wanted > updates.back() && release->release == facts.cuda_releases().back()) return;
    say({SAY("CUDA {}", request.wanted), SAY("one of {}", updates_of(*release)), request.origin,
         release->origin},
        "this release of CUDA has no such update", findings);
}

// The update and the driver in an installer's name.
struct InstallerName {
    std::string update, driver, kind;  // kind: "linux.run", "windows.exe", "local.deb"
};
std::optional<InstallerName> installer_name(const std::string& file) {
    InstallerName name;
    if (starts_with(file, "cuda_")) {
        const std::size_t second = file.find('_', 5);
        if (second == npos) return std::nullopt;
        name.update = file.substr(5, second - 5);
        const std::size_t third = file.find('_', second + 1);
        const bool has_driver = third != npos && std::isdigit(file[second + 1]);
        if (has_driver) name.driver = file.substr(second + 1, third - second - 1);
        name.kind = file.substr((has_driver ? third : second) + 1);
        return name;
    }
    // cuda-repo-ubuntu2204-12-4-local_12.4.1-550.54.15-1_amd64.deb
    const std::size_t local = file.find("-local");
    if (!starts_with(file, "cuda-repo-") || local == npos) return std::nullopt;
    const std::size_t begin = local + 7, end = file.find_first_of("-_", begin);
    if (begin >= file.size() || end == npos) return std::nullopt;
    name.update = file.substr(begin, end - begin);
    name.driver = file.substr(end + 1, file.find('-', end + 1) - end - 1);
    name.kind = "linux.run";  // they have the same driver
    return name;
}

void judge_driver_of_installer(const CudaInstallers& row, const InstallerName& name, const std::string& file,
                               const Origin& place, Findings& findings) {
    for (const std::string& exists : row.files) {
        const auto other = installer_name(exists);
        if (!other || other->kind != name.kind || other->driver.empty()) continue;
        if (other->driver != name.driver)
            say({file, exists, place, row.origin},
                SAY("that of CUDA {} has the driver {}", name.update, other->driver), findings);
        return;
    }
}

// 11.8.0/local_installers/cuda_11.8.1_531.14_windows.exe
void judge_installer(const ToolkitRequest& request, const Facts& facts, Findings& findings) {
    if (request.by != "installer") return;
    const std::string folder = request.wanted.substr(0, request.wanted.find('/'));
    const std::string file = file_of(request.wanted);
    const auto name = installer_name(file);
    const auto update = name ? parse_version(name->update) : std::nullopt;
    const auto of_folder = parse_version(folder);
    if (!update || !of_folder || update->numbers.size() < 3) return;
    // 10.2/Prod/local_installers/..., 11.0.1/local_installers/...
    const bool whole = of_folder->numbers.size() >= 3;
    if (!whole && (of_folder->major() < 11 || folder != of_folder->text)) return;
    if (!whole || *update != *of_folder)
        return say({file, SAY("an installer of CUDA {}", folder), request.origin, {}},
                   SAY("NVIDIA's folder of CUDA {} has no installer of {}", folder, name->update), findings);
    for (const CudaInstallers& row : recipe_tables(facts).cuda_installers)
        if (*row.cuda == *update) judge_driver_of_installer(row, *name, file, request.origin, findings);
}

// nvcc_12.5 for the installer of CUDA 12.8.
void judge_component(const ToolkitRequest& request, Findings& findings) {
    if (request.by != "component") return;
    const std::string name = request.wanted.substr(0, request.wanted.rfind('_'));
    say({SAY("{} in the installer of CUDA {}", request.wanted, request.repository),
         SAY("{}_{}", name, request.repository),
         request.origin,
         {}},
        "the components of NVIDIA's installer for Windows have its release in their names", findings);
}

// crt and nvvm of CUDA 12.4, nvprof of 13.0; nvrtc-dev, which is nvrtc_dev.
void judge_selected(const ToolkitRequest& request, const Facts& facts, Findings& findings) {
    const auto wanted = parse_version(request.wanted);
    const auto release = wanted ? parse_version(wanted->release()) : std::nullopt;
    if (!release || !facts.cuda(*release)) return;
    const auto add_one = [&](const std::string& component, const std::string& right, const Origin& row) {
        say({SAY("component {} of CUDA {} for Windows", component, release->text), right, request.origin,
             row},
            "NVIDIA's installer for Windows ends with an error (3772776473) and installs nothing", findings);
    };
    for (const std::string& component : request.components) {
        if (component.find('-') != npos) add_one(component, replace_all(component, "-", "_"), {});
        for (const AptComponent& row : recipe_tables(facts).windows_components) {
            if (row.component != component) continue;
            if (row.to && *row.to < *release)
                add_one(component, SAY("{} up to CUDA {}", component, row.to->text), row.origin);
            else if (row.from && *release < *row.from)
                add_one(component, SAY("{} from CUDA {}", component, row.from->text), row.origin);
        }
    }
}

}  // namespace

PTXGUARD_RULE(CC620) {
    if (!is_recipe(scenario)) return;
    judge_labels(scenario, facts, findings);
    judge_labelled(scenario.recipe, findings);
    judge_conda_toolkit(scenario, facts, findings);
    judge_apt(scenario, facts, findings);
    judge_names(scenario, findings);
    judge_ended_components(scenario, facts, findings);
    judge_image(scenario, facts, findings);
    for (const ToolkitRequest& request : scenario.recipe.toolkit_requests) {
        judge_action(request, facts, findings);
        judge_download(request, facts, findings);
        judge_installer(request, facts, findings);
        judge_component(request, findings);
        judge_selected(request, facts, findings);
    }
    judge_repositories(scenario, facts, findings);
}

}  // namespace ptxguard
