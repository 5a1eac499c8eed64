// NVIDIA's package repositories: the releases, keys and versions in them, and what images hold.
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "facts/recipe_tables.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/rules/CC620_toolkit_release_missing/parts.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// nvidia-cuda-toolkit in an image of Debian, which enables main only.
void judge_components(const UnservedPackage& one, Findings& findings) {
    add(findings, "CC620", Level::error, one.package,
        SAY("{} needs Debian's components contrib and non-free; {} {} not enabled", one.package,
            one.components, one.components.find(' ') == npos ? "is" : "are"))
        .found("package", one.package, one.origin)
        .found("image", "Debian", one.system)
        .expected("components", "main contrib non-free", {})
        .because("apt finds no candidate for the package, or for one that it requires")
        .by_hand(SAY("add {} to the sources of apt before it", one.components));
}

// libcudnn8 on ubuntu:22.04, where nothing adds NVIDIA's repository.
void judge_sources(const UnservedPackage& one, Findings& findings) {
    add(findings, "CC620", Level::error, one.package,
        SAY("{} is in NVIDIA's package repository only, which nothing adds", one.package))
        .found("package", one.package, one.origin)
        .found("image", "a plain system", one.system)
        .expected("repository", "NVIDIA's", {})
        .because("the system's own repositories have no such package")
        .by_hand(
            "install cuda-keyring of NVIDIA's repository before it, or start from an image of nvidia/cuda");
}

// developer.download.nvidia.com/compute/cuda/repos/ubuntu2310: since 18.10 only LTS releases have one.
void judge_folder(const ToolkitRequest& request, Findings& findings) {
    if (request.by != "repository" || request.wanted.size() != 10) return;
    const auto release = parse_version(request.wanted.substr(6));
    if (!release || !release->suffix.empty() || release->major() <= 1810) return;
    const int year = release->major() / 100, month = release->major() % 100;
    if (year % 2 == 0 && month == 4) return;
    const std::string lts = SAY("ubuntu{}04", year - year % 2);
    say({SAY("NVIDIA's repository {}", request.wanted), lts, request.origin, {}},
        "NVIDIA has repositories for LTS releases of Ubuntu", findings);
}

// cuda-toolkit-12-4 from NVIDIA's repository for Ubuntu 24.04, which begins with 12.5.
void judge_repository(const ToolkitRequest& request, const Facts& facts, Findings& findings) {
    const auto wanted = parse_version(request.wanted);
    if (!wanted || wanted->numbers.size() < 2 || request.by == "whole toolkit") return;
    for (const NvidiaRepository& row : recipe_tables(facts).nvidia_repositories) {
        if (row.repository != request.repository) continue;
        const bool early = *wanted < *row.cuda_from && !same_release(*wanted, *row.cuda_from);
        const bool late = row.cuda_to && *wanted > *row.cuda_to && !same_release(*wanted, *row.cuda_to);
        if (!early && !late) continue;
        const std::string bound = (early ? row.cuda_from : row.cuda_to)->text;
        say({SAY("CUDA {} for {}", request.wanted, row.system),
             SAY("CUDA {} or {}", bound, early ? "newer" : "older"), request.origin, row.origin},
            SAY("NVIDIA's repository for {} {} with CUDA {}", row.system, early ? "begins" : "ends", bound),
            findings);
    }
}

// cuda-toolkit-12-4 of the repository for Ubuntu 22.04, in Ubuntu 24.04.
void judge_other_system(const ToolkitRequest& request, const Facts& facts, Findings& findings) {
    const auto wanted = request.by == "whole toolkit" ? parse_version(request.wanted) : std::nullopt;
    if (!wanted) return;
    for (const NvidiaRepository& row : recipe_tables(facts).nvidia_repositories) {
        if (row.repository != request.repository || !row.tinfo5_from || !row.tinfo5_to ||
            *wanted < *row.tinfo5_from || *row.tinfo5_to < *wanted)
            continue;
        add(findings, "CC620", Level::error, SAY("CUDA {} for {}", wanted->text, row.system),
            SAY("CUDA {} of NVIDIA's repository for {} needs libtinfo5, which this system does not have",
                wanted->text, row.system))
            .found("release", SAY("CUDA {}", wanted->text), request.origin)
            .found("system", "one without libtinfo5", request.system)
            .expected("repository", "that of the system", row.origin)
            .because(
                "the whole toolkit requires Nsight Systems: apt ends with 'Depends: libtinfo5 but it is not "
                "installable'")
            .by_hand(SAY("start from {}, or install only what is used: cuda-nvcc-{}, cuda-cudart-dev-{}",
                         row.system, replace_all(wanted->text, ".", "-"),
                         replace_all(wanted->text, ".", "-")));
    }
}

// libnccl2 in an image that holds it at its version; apt-get remove libcudnn8.
void judge_held(const ToolkitRequest& request, Findings& findings) {
    const bool removes = request.by == "remove";
    if (!removes && request.by != "install") return;
    const std::string& package = request.wanted;
    add(findings, "CC620", Level::error, package,
        SAY("apt does not {} {}: the image holds {}", request.by, package,
            removes ? "it" : "NVIDIA's packages at their versions"))
        .found("package", package, request.origin)
        .found("image", "nvidia/cuda", request.system)
        .expected("option", "--allow-change-held-packages", {})
        .because(removes ? "the images mark them with apt-mark hold"
                         : "the images mark them with apt-mark hold, and without a version the newest one of "
                           "NVIDIA's repository is asked for, which is for another CUDA")
        .by_hand(removes ? "add --allow-change-held-packages to the command"
                         : SAY("leave {} out, or name the version that the image has", package));
}

// cuda-keyring_1.0-1 of ubuntu2404; the key that no longer signs.
void judge_key(const ToolkitRequest& request, const Facts& facts, Findings& findings) {
    if (request.by == "key") {
        add(findings, "CC620", Level::error, "7fa2af80.pub",
            "NVIDIA's repository is not signed with the key 7fa2af80")
            .found("key", "7fa2af80.pub", request.origin)
            .expected("key", "3bf863cc.pub, or the package cuda-keyring", {})
            .because(
                "NVIDIA replaced the key on 2022-04-27; apt-get update ends with 'NO_PUBKEY "
                "A4B469963BF863CC'")
            .by_hand("take 3bf863cc.pub instead, or install cuda-keyring_1.1-1_all.deb");
    }
    for (const NvidiaRepository& row : recipe_tables(facts).nvidia_repositories)
        if (request.by == "keyring" && request.repository == row.repository &&
            request.wanted == "cuda-keyring_1.0-1_all.deb" && !row.keyring.empty())
            say({SAY("{} in {}", request.wanted, row.repository), SAY("cuda-keyring_{}_all.deb", row.keyring),
                 request.origin, row.origin},
                "the download ends with 404 Not Found", findings);
}

// libcudnn8 for Ubuntu 24.04; libcudnn9, which is the common name of the packages for each CUDA.
void judge_cudnn(const ToolkitRequest& request, const Facts& facts, Findings& findings) {
    if (request.by != "cudnn") return;
    const std::string& name = request.wanted;
    for (const NvidiaRepository& row : recipe_tables(facts).nvidia_repositories) {
        if (request.repository != row.repository) continue;
        const auto major = parse_version(name.substr(8, 1));
        if (row.cudnn_from && major && *major < *row.cudnn_from)
            say({SAY("{} for {}", name, row.system), SAY("libcudnn{}-cuda-12", row.cudnn_from->text),
                 request.origin, row.origin},
                SAY("NVIDIA's repository for {} begins with cuDNN {}", row.system, row.cudnn_from->text),
                findings);
        else if (name == "libcudnn9")
            say({SAY("the package {}", name), "libcudnn9-cuda-12 or libcudnn9-cuda-13", request.origin, {}},
                "the packages for each CUDA provide it, and of several apt chooses none", findings);
    }
}

// libnvinfer7 in an image of Ubuntu 18.04: the repository that had it is not there any more.
void judge_tensorrt(const ToolkitRequest& request, const Facts& facts, Findings& findings) {
    const std::size_t digit = request.wanted.find_first_of("0123456789");
    const auto major = request.by == "tensorrt" && digit != npos ? parse_version(request.wanted.substr(digit))
                                                                 : std::nullopt;
    if (!major) return;
    for (const NvidiaRepository& row : recipe_tables(facts).nvidia_repositories)
        if (request.repository == row.repository && row.tensorrt_from && *major < *row.tensorrt_from)
            say({SAY("{} for {}", request.wanted, row.system),
                 SAY("TensorRT {} or newer", row.tensorrt_from->text), request.origin, row.origin},
                SAY("NVIDIA's repository for {} begins with TensorRT {}; older ones were in the repository "
                    "machine-learning, which the images no longer have",
                    row.system, row.tensorrt_from->text),
                findings);
}

// dnf in an image of Ubuntu.
void judge_manager(const ToolkitRequest& request, Findings& findings) {
    if (request.by != "manager") return;
    add(findings, "CC620", Level::error, request.wanted,
        SAY("{} is not in the image: its system is {}", request.wanted, request.repository))
        .found("package manager", request.wanted, request.origin)
        .found("image", request.repository, request.system)
        .because("the shell ends with 'not found'")
        .by_hand(
            "install the packages with the system's own manager, or start from an image of the other system");
}

// cuda-nvcc, whose packages have a release in their names.
void judge_misnamed(const ToolkitRequest& request, const Facts& facts, Findings& findings) {
    if (request.by != "misnamed") return;
    for (const MisnamedPackage& row : recipe_tables(facts).misnamed_packages)
        if (row.package == request.wanted)
            say({SAY("the package {}", row.package), row.instead, request.origin, row.origin},
                "apt ends with 'Unable to locate package'", findings);
}

// python3.12 of apt on Ubuntu 22.04; python3-distutils, which ended with Python 3.11.
void judge_python(const ToolkitRequest& request, const Facts& facts, Findings& findings) {
    const bool by_ppa = request.by == "python of deadsnakes";
    if (request.by != "python" && !by_ppa) return;
    for (const DistributionToolkit& row : recipe_tables(facts).distribution_toolkits) {
        if (row.system != request.repository || !row.python) continue;
        std::string has = SAY("python{}", row.python->text);
        for (const std::string& other : row.pythons) has += SAY(" or python{}", other);
        const bool distutils = ends_with(request.wanted, "-distutils");
        const bool by_pattern = any_of(row.pattern_pythons, [&](const std::string& one) {
            return request.wanted == SAY("python{}", one);
        });
        const Level level = by_ppa ? Level::warning : by_pattern ? Level::note : Level::error;
        const std::string named = SAY("{} for {}", request.wanted, row.system);
        add(findings, "CC620", level, named, SAY("{} does not exist{}", named, by_ppa ? " any more" : ""))
            .found("package", request.wanted, request.origin)
            .found("image", row.system, request.system)
            .expected("package", distutils ? "python3-setuptools" : has, row.origin)
            .because(by_ppa      ? "the PPA deadsnakes deletes its packages when the support of a system ends"
                     : distutils ? "Python 3.12 and newer have no distutils"
                     : by_pattern
                         ? "apt takes it for a regular expression, which names in dependencies match, and "
                           "goes on without it"
                         : "the system's archive has no such package, and nothing adds another "
                           "source of packages")
            .by_hand(distutils ? "name python3-setuptools"
                               : SAY("name {}, or start from an image of a newer system", has));
    }
}

}  // namespace

void say(const Missing& missing, const std::string& because, Findings& findings) {
    add(findings, "CC620", Level::error, missing.what, SAY("{} does not exist", missing.what))
        .found("release", missing.what, missing.origin)
        .expected("release", missing.expected, missing.table)
        .because(because)
        .by_hand(SAY("name {}", missing.expected));
}

void judge_repositories(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const UnservedPackage& one : scenario.recipe.unserved)
        one.components.empty() ? judge_sources(one, findings) : judge_components(one, findings);
    for (const ToolkitRequest& request : scenario.recipe.toolkit_requests) {
        judge_folder(request, findings);
        judge_repository(request, facts, findings);
        judge_other_system(request, facts, findings);
        judge_held(request, findings);
        judge_key(request, facts, findings);
        judge_cudnn(request, facts, findings);
        judge_tensorrt(request, facts, findings);
        judge_manager(request, findings);
        judge_misnamed(request, facts, findings);
        judge_python(request, facts, findings);
    }
}

}  // namespace ptxguard
