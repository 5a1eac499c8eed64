// SPDX-License-Identifier: Apache-2.0
#include "recipes/meaning/toolkit_requests.hpp"

#include <algorithm>
#include <cstring>
#include <initializer_list>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/containers/images.hpp"
#include "recipes/installers/system_packages.hpp"
#include "recipes/meaning/unseen_installs.hpp"

namespace ptxguard::recipes {
namespace {

constexpr const char* k_any_repository = "(of the system)";

// "12.4" of "cuda-toolkit-12-4", "cuda-nvcc-12-4", "cuda-12-4", "libcublas-dev-12-4".
std::string release_of_package(const std::string& name) {
    if (!starts_with_any(
            name, {"cuda-", "libcublas-", "libcufft-", "libcusparse-", "libcusolver-", "libnvjitlink-"}) ||
        starts_with_any(name, {"cuda-compat-", "cuda-drivers-", "cuda-repo-"}))
        return "";
    const auto parts = split(name, "-");
    if (parts.size() < 3 || !all_digits(parts.back()) || !all_digits(parts[parts.size() - 2])) return "";
    return parts[parts.size() - 2] + "." + parts.back();
}

// Packages of NVIDIA's repository that no distribution has: libcudnn8, cuda-toolkit-12-4, libcublas-12-4.
bool is_only_nvidias(const std::string& name) {
    for (const char* start : {"libcudnn", "libnvinfer"})
        if (starts_with(name, start) && name.size() > std::strlen(start) &&
            is_digit(name[std::strlen(start)]))
            return true;
    return !release_of_package(name).empty() || starts_with(name, "cuda-toolkit-1");
}

ToolkitRequest request_of(const std::string& by, const std::string& wanted, const Written& at) {
    ToolkitRequest request;
    request.by = by;
    request.wanted = wanted;
    request.origin = origin_of(at);
    return request;
}

// The text behind `mark` up to one of `ends`.
std::string part_behind(const std::string& text, std::string_view mark, const char* ends) {
    const std::size_t at = text.find(mark);
    if (at == npos) return "";
    const std::size_t begin = at + mark.size();
    return text.substr(begin, text.find_first_of(ends, begin) - begin);
}

// That of an image's or runner's system; null = not known.
const NvidiaRepository* repository_here(const RecipeImage& image, const std::string& platform,
                                        const Facts& facts) {
    const std::string base = file_name(image.name);
    const std::string named = base == "ubuntu" || base == "centos" || base == "rockylinux"
                                  ? base + image.tag.substr(0, image.tag.find('-'))
                                  : image.system;
    return first_where(recipe_tables(facts).nvidia_repositories, [&](const NvidiaRepository& row) {
        return image.name.empty() ? contains(row.runners, platform) : row.system == named;
    });
}

// `adds`: to a program that adds sources; `writes`: or downloads.
bool may_be_source(const Written& word, bool adds, bool writes) {
    const auto has = [&](std::string_view part) { return word.text.find(part) != npos; };
    return (!word.known && (writes || adds || has("deb "))) ||
           (adds && !starts_with_any(word.text, {"ppa:", "-"})) ||
           any_of(std::initializer_list<std::string_view>{"nvidia", "/etc/apt", "sources.list", ".deb",
                                                          "yum.repos"},
                  has);
}

// "12.5" of "nvcc_12.5".
std::optional<Version> release_of_component(const std::string& name) {
    const std::size_t at = name[0] == '-' ? npos : name.rfind('_');
    const auto release = at == npos ? std::nullopt : parse_version(name.substr(at + 1));
    return release && release->numbers.size() == 2 && release->suffix.empty() ? release : std::nullopt;
}

// Whether apt of the image keeps packages at their releases.
bool holds_packages(const RecipeImage& image) {
    return image.name == "nvidia/cuda" && image.cuda && starts_with(image.system, "ubuntu") &&
           (image.flavour == ImageFlavour::runtime || image.flavour == ImageFlavour::devel);
}

// Whether the image of that CUDA and cuDNN holds the package at its release.
bool holds_it(const HeldPackage& held, const RecipeImage& image) {
    const bool of_here =
        !held.of_cudnn ||
        (image.cudnn && starts_with(held.package, "libcudnn" + std::to_string(image.cudnn->major())));
    const std::size_t suffix = held.package.find("-cuda-");
    return of_here &&
           (suffix == npos || held.package.substr(suffix + 6) == std::to_string(image.cuda->major()));
}

// Whether the image's release is the newest that the repository has.
bool has_newest(const HeldPackage& held, const NvidiaRepository& here, const Version& cuda,
                const Facts& facts) {
    if (held.cuda_to) return *held.cuda_to < cuda && !same_release(*held.cuda_to, cuda);
    const Version last = here.cuda_to ? *here.cuda_to : facts.cuda_releases().back();
    return same_release(last, cuda) || last < cuda;
}

// Whether apt, with the repository or none, changes nothing that the image holds at its release.
bool serves_held(const ToolkitRequest& request, const RecipeImage& image, const NvidiaRepository* here,
                 const Facts& facts) {
    if (!is_one_of(request.by, {"install", "remove"})) return false;
    if (!here || !holds_packages(image)) return true;
    const bool removes = request.by == "remove";
    const HeldPackage* row = first_where(recipe_tables(facts).held_packages, [&](const HeldPackage& one) {
        return holds_it(one, image) &&
               (request.wanted == one.package || (!removes && request.wanted == one.headers));
    });
    return !row || (!removes && has_newest(*row, *here, *image.cuda, facts));
}

}  // namespace

// deb http://deb.debian.org/debian bookworm main contrib non-free; sed -i 's/main/main contrib/' FILE
void ToolkitRequests::add_components(const Command& command) {
    if (command.words.empty()) return;
    const std::string program = program_name(command.words[0].text);
    const bool writes_text = is_one_of(program, {"echo", "sed", "printf", "add-apt-repository",
                                                 "apt-add-repository", "grep", "rm", "mkdir", "tee"});
    m_other_sources = m_other_sources || (program == "cat" && command.words.size() == 1);
    for (const Written& word : command.words) {
        m_other_sources = m_other_sources || (!writes_text && word.text.find("/etc/apt/sources") != npos);
        m_contrib = m_contrib || word.text.find("contrib") != npos;
        for (std::size_t at = word.text.find("non-free"); at != npos; at = word.text.find("non-free", at + 1))
            m_non_free = m_non_free || word.text.compare(at, 17, "non-free-firmware") != 0;
    }
}

// What may add NVIDIA's repository, or packages of it: a key or list of sources, a .deb, a script of others.
void ToolkitRequests::add_sources(const Command& command) {
    if (command.words.empty()) return;
    const std::string program = program_name(command.words[0].text);
    const bool adds =
        is_one_of(program, {"add-apt-repository", "apt-add-repository", "dpkg", "apt-key", "docker"});
    const bool writes = is_one_of(program, {"curl", "wget"});
    m_updated =
        m_updated || (is_one_of(program, {"apt", "apt-get", "apt-fast", "aptitude"}) &&
                      any_of(command.words, [](const Written& word) { return word.text == "update"; }));
    m_unheld =
        m_unheld || (program == "apt-mark" && command.words.size() > 1 && command.words[1].text == "unhold");
    if (m_nvidia_sources) return;
    // Scripts of source archives configure a build.
    m_nvidia_sources = runs_script(command) && !is_one_of(program, {"configure", "autogen.sh", "bootstrap.sh",
                                                                    "bootstrap", "buildconf", "config"});
    for (std::size_t i = 1; i < command.words.size(); ++i)
        m_nvidia_sources = m_nvidia_sources || may_be_source(command.words[i], adds, writes);
}

// cuda.exe -s nvcc_12.5 cudart_12.5, Start-Process cuda.exe -ArgumentList "-s nvcc_12.5": NVIDIA's installer
// for Windows has components of its own release only.
void ToolkitRequests::add_selected(const Command& command) {
    const bool starts =
        any_of(command.words, [](const Written& word) { return ends_with(word.text, ".exe"); });
    if (m_installer.empty() || !starts) return;
    ToolkitRequest selected, other;
    for (std::size_t i = 1; i < command.words.size(); ++i) {
        const Written& word = command.words[i];
        if (ends_with(word.text, ".exe")) continue;
        if (!word.known) return;
        for (const std::string& name : split(word.text, " ,'\"()")) {
            const auto release = release_of_component(name);
            if (!release) continue;
            const bool own = release->text == m_installer;
            ToolkitRequest& request = own ? selected : other;
            if (request.by.empty())
                request = own ? request_of("installer for Windows", m_installer, word)
                              : request_of("component", name, word);
            if (own) request.components.push_back(name.substr(0, name.rfind('_')));
        }
    }
    other.repository = m_installer;
    if (!other.by.empty()) m_all.push_back(std::move(other));
    if (!selected.by.empty()) m_all.push_back(std::move(selected));
}

// .../cuda/repos/ubuntu2404/x86_64/cuda-keyring_1.0-1_all.deb; the keys 7fa2af80 and 3bf863cc.
void ToolkitRequests::add_keys(const Written& word) {
    const std::string path = part_behind(word.text, "compute/cuda/repos/", " \"'?;&|");
    if (ends_with(path, "/7fa2af80.pub")) m_old_key = word;
    for (const char* part : {"3bf863cc", "3BF863CC", "trusted=yes", "unauthenticated", "nsecure"})
        m_new_key = m_new_key || word.text.find(part) != npos;
    m_new_key = m_new_key || path.find("keyring") != npos;
    const std::string file = file_name(path);
    if (!word.known || !starts_with(file, "cuda-keyring_")) return;
    m_all.push_back(request_of("keyring", file, word));
    m_all.back().repository = path.substr(0, path.find('/'));
}

// Without a version, a newer one than that of the image: NCCL's and cuDNN's come out more often than CUDA.
// What runs under a condition may be for images that lack it.
void ToolkitRequests::add_held(const AptInstall& step, const char* how) {
    if (step.changes_held || m_unheld || m_closed || !step.action.empty()) return;
    for (const AptPackage& package : step.packages) {
        if (!package.whole.known || !package.whole.fixed ||
            package.whole.text.find_first_of("=/~<>") != npos ||
            !starts_with_any(package.name, {"libnccl", "libcudnn"}))
            continue;
        m_all.push_back(request_of(how, package.name, package.whole));
        m_all.back().repository = k_any_repository;
    }
}

void ToolkitRequests::forget(const Command& rm) {
    m_forgotten = m_forgotten || any_of(rm.words, [](const Written& word) {
                      return word.text.find("sources.list.d") != npos;
                  });
}

void ToolkitRequests::take(const Command& command) {
    add_components(command);
    add_sources(command);
    add_selected(command);
    add_held(read_system_removal(command), "remove");
    for (const Written& word : command.words) {
        add_keys(word);
        for (const char* part : {"libtinfo5", "jammy", "ncurses"})
            m_tinfo5 = m_tinfo5 || word.text.find(part) != npos;
        m_machine_learning = m_machine_learning || word.text.find("machine-learning") != npos ||
                             word.text.find("nv-tensorrt") != npos;
        for (const char* part : {"-local", "_local", "/preferences.d/"})
            m_closed = m_closed || word.text.find(part) != npos;
        const std::string repository = part_behind(word.text, "compute/cuda/repos/", "/ \"'");
        if (!repository.empty()) m_repository = repository.find_first_of("${") == npos ? repository : "?";
        if (!word.known) continue;
        if (starts_with(repository, "ubuntu")) m_all.push_back(request_of("repository", repository, word));
        add_installer(word);
    }
}

void ToolkitRequests::add_installer(const Written& word) {
    // .../cuda/12.4.1/local_installers/cuda-repo-ubuntu2404-12-4-local_12.4.1-550.54.15-1_amd64.deb
    const auto local = split(part_behind(word.text, "cuda-repo-", "_ \"'"), "-");
    if (local.size() == 4 && local[3] == "local") {
        m_all.push_back(request_of("local installer", local[1] + "." + local[2], word));
        m_all.back().repository = local[0];
    }
    const std::string release = part_behind(word.text, "compute/cuda/", "/ \"'");
    if (release.empty() || !is_digit(release[0])) return;
    if (word.text.find("/local_installers/") != npos) m_all.push_back(request_of("download", release, word));
    // 12.4.1/local_installers/cuda_12.4.1_550.54.15_linux.run
    const std::string path = part_behind(word.text, "compute/cuda/", " \"'?;&|");
    const auto of_file = ends_with(path, ".exe") ? parse_version(release) : std::nullopt;
    if (of_file) m_installer = of_file->release();
    if (path.find("_installers/cuda") != npos) m_all.push_back(request_of("installer", path, word));
}

void ToolkitRequests::take(const AptInstall& step) {
    m_nvidia_sources = m_nvidia_sources || step.whole.text.find(".deb") != npos || !step.action.empty();
    m_tinfo5 = m_tinfo5 || step.whole.text.find("libtinfo5") != npos;
    if (m_updated) add_held(step, "install");
    for (const AptPackage& package : step.packages) {
        if (!package.whole.known) continue;
        note_sources(package, step.action.empty());
        add_cudnn(package);
        add_tensorrt(package);
        add_release(package, step);
        if (step.action.empty()) add_whole(package);
    }
}

// Packages that need a repository which the recipe has not added so far.
void ToolkitRequests::note_sources(const AptPackage& package, bool by_apt) {
    if (by_apt && is_one_of(package.name, {"cuda", "cuda-toolkit"}) && package.version.empty())
        m_unnumbered = package.whole;
    if (!m_nvidia_sources && m_updated && !m_without_sources && is_only_nvidias(package.name))
        m_without_sources = package.whole;
    if (package.name == "nvidia-cuda-toolkit" && !m_other_sources && !(m_contrib && m_non_free)) {
        m_debian_toolkit = package.whole;
        m_missing = m_contrib ? "non-free" : m_non_free ? "contrib" : "contrib and non-free";
    }
}

void ToolkitRequests::add_cudnn(const AptPackage& package) {
    const bool has_hole = package.version.empty() && package.whole.text.find('=') != npos;
    if (has_hole ||
        !is_one_of(package.name, {"libcudnn7", "libcudnn7-dev", "libcudnn8", "libcudnn8-dev", "libcudnn9"}))
        return;
    m_all.push_back(request_of("cudnn", package.name, package.whole));
    m_all.back().repository = m_repository.empty() ? k_any_repository : m_repository;
}

// libnvinfer7=7.2.3-1+cuda11.0, libnvinfer-plugin7
void ToolkitRequests::add_tensorrt(const AptPackage& package) {
    if (!starts_with_any(package.name, {"libnvinfer", "libnvonnxparsers", "libnvparsers"})) return;
    m_all.push_back(request_of("tensorrt", package.name, package.whole));
    m_all.back().repository = m_repository.empty() ? k_any_repository : m_repository;
}

void ToolkitRequests::add_release(const AptPackage& package, const AptInstall& step) {
    const bool action = !step.action.empty();
    const std::string wanted = action ? package.version : release_of_package(package.name);
    if (wanted.empty()) return;
    ToolkitRequest request = request_of(action ? step.action : "apt", wanted, package.whole);
    if (const auto release = parse_version(step.release.text); release && step.release.known)
        request.installer = {*release, origin_of(step.release)};
    if (!step.packaged) request.components = step.components;
    // A folder of the repository that an action adds is the system's.
    const std::string& named = named_repository();
    if (step.packaged) request.repository = action || named.empty() ? k_any_repository : named;
    m_all.push_back(std::move(request));
}

// That of a local repository before a folder on NVIDIA's server.
const std::string& ToolkitRequests::named_repository() const {
    for (const ToolkitRequest& one : m_all)
        if (one.by == "local installer") return one.repository;
    return m_repository;
}

// cuda, cuda-toolkit-12-4: the whole toolkit, with Nsight Systems.
void ToolkitRequests::add_whole(const AptPackage& package) {
    if (!starts_with_any(package.name, {"cuda-toolkit", "cuda-1"}) && package.name != "cuda") return;
    const Known<Version> local = of_local_repository();
    std::string release = release_of_package(package.name);
    const std::string repository = named_repository();
    if (release.empty() && local && package.version.empty()) release = local->text;
    if (release.empty() || repository.empty()) return;
    m_all.push_back(request_of("whole toolkit", release, package.whole));
    m_all.back().repository = repository;
}

Known<Version> ToolkitRequests::of_local_repository() const {
    for (auto one = m_all.rbegin(); one != m_all.rend(); ++one)
        if (const auto release = one->by == "local installer" ? parse_version(one->wanted) : std::nullopt)
            return {*release, one->origin};
    return {};
}

Known<Version> ToolkitRequests::newest(const RecipeImage& image, const std::string& platform,
                                       const Facts& facts) const {
    if (!m_unnumbered || m_closed) return {};
    const NvidiaRepository* row =
        m_repository.empty() && image.name == "nvidia/cuda"
            ? repository_here(image, platform, facts)
            : first_where(recipe_tables(facts).nvidia_repositories,
                          [&](const NvidiaRepository& one) { return one.repository == m_repository; });
    if (!row) return {};
    return {row->cuda_to ? *row->cuda_to : facts.cuda_releases().back(), origin_of(m_unnumbered)};
}

// Whether what is asked for can be had after all.
bool ToolkitRequests::is_served(const ToolkitRequest& request, const RecipeImage& image,
                                const NvidiaRepository* here, const Facts& facts) const {
    if (request.by == "cudnn")
        return m_closed || request.repository.empty() || (m_without_sources && is_plain(image, facts));
    if (request.by == "tensorrt")
        return m_closed || m_machine_learning || request.repository.empty() || image.name != "nvidia/cuda";
    if (request.by == "whole toolkit")
        return m_tinfo5 || !here || !here->lacks_tinfo5 || here->repository == request.repository;
    const bool lists_none = m_forgotten && m_repository.empty();
    return serves_held(request, image, lists_none ? nullptr : here, facts);
}

void ToolkitRequests::fill_unserved(const RecipeImage& image, const std::string& platform,
                                    const Written& system, const Facts& facts, RecipeFacts& recipe) const {
    const DistributionToolkit* packaged = distribution_toolkit(image, platform, facts);
    if (m_debian_toolkit && packaged && starts_with(packaged->system, "debian") && packaged->needs_contrib)
        recipe.unserved.push_back(
            {m_debian_toolkit.text, m_missing, origin_of(m_debian_toolkit), origin_of(system)});
    if (m_without_sources && recipe.kind == to_string(RecipeKind::dockerfile) && is_plain(image, facts))
        recipe.unserved.push_back(
            {m_without_sources.text, "", origin_of(m_without_sources), origin_of(system)});
}

void ToolkitRequests::fill(const RecipeImage& image, const std::string& platform, const Written& system,
                           const Facts& facts, RecipeFacts& recipe) {
    fill_unserved(image, platform, system, facts, recipe);
    const NvidiaRepository* here = repository_here(image, platform, facts);
    // Systems and runners on which only the recipe itself adds NVIDIA's repository.
    if (m_old_key && !m_new_key && m_updated && (image.name.empty() || is_plain(image, facts)))
        m_all.push_back(request_of("key", "7fa2af80", m_old_key));
    std::set<std::string> seen, held;
    for (ToolkitRequest& request : m_all) {
        if (request.repository == k_any_repository) {
            request.repository = here ? here->repository : "";
            request.system = origin_of(system);
        }
        if (is_served(request, image, here, facts)) continue;
        if (request.by == "whole toolkit") request.system = origin_of(system);
        // One package of a command is enough.
        if (is_one_of(request.by, {"install", "remove"}) && !held.insert(request.by).second) continue;
        const std::string installer = request.installer ? request.installer->text : "";
        if (seen.insert(request.wanted + " " + request.repository + " " + request.by + installer).second)
            recipe.toolkit_requests.push_back(std::move(request));
    }
}

}  // namespace ptxguard::recipes
