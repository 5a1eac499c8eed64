// pip installs both, and says nothing. The sizes in the records show whose files are there.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/overlaid.hpp"

#include <map>
#include <string>

#include "facts/libraries.hpp"
#include "model/file_names.hpp"
#include "model/named_cuda.hpp"
#include "model/ranges.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {
namespace {

// Of the libraries that both list in different sizes: the first one, and how many there have the size of
// each.
struct Pair {
    std::string first;
    std::size_t first_package = 0, second_package = 0;
    std::size_t of_first = 0, of_second = 0;
};

// Python takes x.cpython-311-x86_64-linux-gnu.so before x.abi3.so, and that before x.so.
int place_in_search(const std::string& path) {
    const std::string name = file_of(path);
    if (name.find(".cpython-") != npos || name.find(".cp3") != npos) return 0;
    return name.find(".abi3.") != npos ? 1 : 2;
}

// "faiss/_swigfaiss" for each file that is imported by this name; the whole path of other libraries.
std::string import_of(const std::string& path) {
    const std::string name = file_of(path);
    const std::size_t dot = name.find('.');
    const bool is_import = ends_with(name, ".pyd") || (ends_with(name, ".so") && !starts_with(name, "lib"));
    return is_import && dot != npos ? path.substr(0, path.size() - name.size() + dot) : path;
}

class Pairs {
public:
    Pairs(const Host& host, const std::vector<PackageFiles>& packages) : m_host(host), m_packages(packages) {}

    std::vector<Pair> find() {
        for (std::size_t i = 0; i < m_packages.size(); ++i) {
            const PackageFiles& package = m_packages[i];
            for (std::size_t at = 0; at < package.modules.size() && at < package.sizes.size(); ++at)
                add({i, package.modules[at], package.sizes[at]});
        }
        std::vector<Pair> found;
        for (auto& entry : m_pairs) found.push_back(std::move(entry.second));
        return found;
    }

private:
    struct Listed {
        std::size_t package = 0;
        std::string path;
        std::uint64_t size = 0;
    };

    void add(const Listed& one) {
        if (one.size == 0) return;
        const auto [at, is_new] = m_listed.emplace(import_of(one.path), one);
        const Listed& first = at->second;
        const bool same = first.path == one.path && first.size == one.size;
        if (is_new || same || m_packages[first.package].package == m_packages[one.package].package) return;
        Pair& pair = m_pairs[{first.package, one.package}];
        if (pair.first.empty()) pair = {one.path, first.package, one.package, 0, 0};
        if (is_taken(first, one)) ++pair.of_first;
        if (is_taken(one, first)) ++pair.of_second;
    }

    bool is_taken(const Listed& one, const Listed& other) const {
        const FileStatus here = m_host.status(one.path);
        if (here.type != FileType::regular) return false;
        return one.path == other.path ? here.size == one.size
                                      : place_in_search(one.path) < place_in_search(other.path) ||
                                            m_host.status(other.path).type != FileType::regular;
    }

    const Host& m_host;
    const std::vector<PackageFiles>& m_packages;
    std::map<std::string, Listed> m_listed;
    std::map<std::pair<std::size_t, std::size_t>, Pair> m_pairs;
};

bool is_named_for_cpus(const PackageFiles& package) { return ends_with(package.package, "-cpu"); }

// By its name, or because it brings the runtime of CUDA: auditwheel puts that beside the modules.
bool is_for_gpus(const PackageFiles& package) {
    return is_named_for_gpus(package.package) || any_of(package.modules, [](const std::string& path) {
               return starts_with(file_of(path), "libcudart-") || starts_with(file_of(path), "cudart64_");
           });
}

// nvidia-nccl-cu12 and -cu13 hold no modules of Python.
bool is_only_libraries(const PackageFiles& package) {
    return !nvidia_component(package.package).empty() && none_of(package.modules, is_python_module);
}

// One package always requires the one and names the other: the second replaces files of the first on purpose.
bool is_one_set(const Host& host, const std::string& site, const std::string& one, const std::string& other) {
    const auto always = [&](const InstalledWheel& by, const std::string& package) {
        return by.requires_always(package, host.system());
    };
    const auto names = [](const InstalledWheel& by, const std::string& package) {
        return any_of(by.metadata.requirements,
                      [&](const WheelRequirement& required) { return required.name == package; });
    };
    return any_of(installed_wheels(host, site, {"*"}), [&](const InstalledWheel& by) {
        return (by.metadata.name == one && names(by, other)) ||
               (by.metadata.name == other && names(by, one)) || (always(by, one) && names(by, other)) ||
               (always(by, other) && names(by, one));
    });
}

SharedFile described(const Host& host, const PackageFiles& own, const PackageFiles& other,
                     const std::string& path, const std::string& owner) {
    SharedFile shared;
    shared.file = path.substr(own.site.size() + 1);
    shared.package = own.package;
    shared.other = other.package;
    shared.version = installed_version(host, own.site, {own.package});
    shared.other_version = installed_version(host, other.site, {other.package});
    shared.owner = owner;
    return shared;
}

}  // namespace

std::vector<SharedFile> overlaid_packages(const Host& host, const std::vector<PackageFiles>& packages) {
    std::vector<SharedFile> found;
    for (const Pair& pair : Pairs(host, packages).find()) {
        const PackageFiles &first = packages[pair.first_package], &second = packages[pair.second_package];
        const bool first_for_gpus = is_for_gpus(first) || is_named_for_cpus(second);
        const bool second_for_gpus = is_for_gpus(second) || is_named_for_cpus(first);
        if ((!first_for_gpus && !second_for_gpus) || is_only_libraries(first) || is_only_libraries(second) ||
            is_one_set(host, first.site, first.package, second.package))
            continue;
        const bool is_first = pair.of_first > 0 && pair.of_second == 0;
        const bool is_second = pair.of_second > 0 && pair.of_first == 0;
        const std::string owner = is_first ? first.package : is_second ? second.package : "";
        // The one for GPUs comes first; of two, the one that is there.
        const bool both = first_for_gpus && second_for_gpus;
        const bool swapped = both ? is_second : second_for_gpus;
        found.push_back(swapped ? described(host, second, first, pair.first, owner)
                                : described(host, first, second, pair.first, owner));
        found.back().mixed = both;
    }
    return found;
}

}  // namespace ptxguard
