// The queries of facts.hpp. The files are parsed in the source named after each table.
// SPDX-License-Identifier: Apache-2.0
#include "facts/facts.hpp"

#include <algorithm>

#include "facts/tables.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

using Lock = std::lock_guard<std::mutex>;

template <typename T>
Known<T> not_known(const FactReader& reader, const std::string& why) {
    Known<T> unknown;
    unknown.origin = reader.origin("", why);
    return unknown;
}

Known<Version> unknown_driver(const std::string& why) {
    static const Json none;
    return not_known<Version>(FactReader("drivers.json", "", none), why);
}

}  // namespace

Facts Facts::embedded() { return with({}); }

Facts Facts::with(Files overrides) {
    Facts facts;
    facts.m_tables = std::make_shared<Tables>();
    facts.m_tables->store = FactStore(std::move(overrides));
    facts.m_tables->troubles = facts.m_tables->store.misplaced();
    return facts;
}

std::vector<Version> Facts::cuda_releases() const {
    const Lock lock(m_tables->mutex);
    return m_tables->releases();
}

const CudaRelease* Facts::cuda(const Version& version) const {
    const Lock lock(m_tables->mutex);
    return m_tables->cuda(version);
}

const Facts::ComponentVersions& Facts::component_versions(const std::string& component) const {
    const Lock lock(m_tables->mutex);
    return m_tables->components(component);
}

std::vector<int> Facts::driver_branches() const {
    const Lock lock(m_tables->mutex);
    std::vector<int> numbers;
    for (const auto& branch : m_tables->drivers().branches) numbers.push_back(branch.branch);
    return numbers;
}

const DriverBranch* Facts::driver_branch(const Version& driver) const {
    const Lock lock(m_tables->mutex);
    const auto& table = m_tables->drivers();
    if (driver.major() > table.newest_number) return nullptr;
    const DriverBranch* found = nullptr;
    for (const auto& branch : table.branches)
        if (branch.branch <= driver.major()) found = &branch;
    return found;
}

Known<Version> Facts::minimum_driver(int cuda_major, System system) const {
    const Lock lock(m_tables->mutex);
    for (const auto& minimum : m_tables->drivers().minimums) {
        if (minimum.cuda_major != cuda_major) continue;
        Known<Version> known;
        known.value = system == System::windows ? minimum.windows : minimum.linux_;
        known.origin = minimum.origin;
        return known;
    }
    return unknown_driver("no minimum driver is listed for CUDA " + std::to_string(cuda_major));
}

Known<Version> Facts::first_driver_for_ptx(PtxVersion ptx, System system) const {
    const Lock lock(m_tables->mutex);
    for (const auto& branch : m_tables->drivers().branches) {
        if (!branch.ptx_max || *branch.ptx_max < ptx) continue;
        Known<Version> known;
        known.value = system == System::windows ? branch.first_windows : branch.first_linux;
        known.origin = branch.origin;
        if (!known.value) {
            // Every driver of the branch accepts it, although the first driver's number is not listed.
            known.value = parse_version(std::to_string(branch.branch));
            known.origin.text += ": its first driver's full number is not listed";
        }
        return known;
    }
    return unknown_driver("no listed driver reads PTX " + ptx.text());
}

std::optional<Version> Facts::newest_cuda_for_ptx(PtxVersion ptx) const {
    const Lock lock(m_tables->mutex);
    const auto& releases = m_tables->releases();
    for (auto release = releases.rbegin(); release != releases.rend(); ++release) {
        const auto* facts = m_tables->cuda(*release);
        if (facts && facts->ptx_max && *facts->ptx_max <= ptx) return *release;
    }
    return std::nullopt;
}

std::vector<std::string> Facts::cuda_releases_for_ptx(PtxVersion ptx) const {
    std::vector<std::string> releases;
    for (const Version& release : cuda_releases()) {
        const CudaRelease* row = cuda(release);
        if (row && row->ptx_max && *row->ptx_max == ptx) releases.push_back(release.release());
    }
    return releases;
}

const ArchFacts* Facts::arch(Arch arch) const {
    const Lock lock(m_tables->mutex);
    return first_where(m_tables->architectures().archs,
                       [&](const auto& facts) { return facts.arch == arch; });
}

std::vector<Arch> Facts::archs() const {
    const Lock lock(m_tables->mutex);
    std::vector<Arch> archs;
    for (const auto& facts : m_tables->architectures().archs) archs.push_back(facts.arch);
    std::sort(archs.begin(), archs.end());
    return archs;
}

std::vector<int> Facts::family(Arch code) const {
    const Lock lock(m_tables->mutex);
    const auto& families = m_tables->architectures().families;
    const auto found = families.find(code);
    return found == families.end() ? std::vector<int>{} : found->second;
}

std::vector<Version> Facts::cuda_releases_with(Arch arch) const {
    const Lock lock(m_tables->mutex);
    std::vector<Version> found;
    for (const auto& release : m_tables->releases()) {
        const auto* facts = m_tables->cuda(release);
        if (!facts) continue;
        const auto& archs = facts->ptxas_archs;
        if (contains(archs, arch)) found.push_back(release);
    }
    return found;
}

std::vector<std::string> Facts::gpu_names() const {
    const Lock lock(m_tables->mutex);
    std::vector<std::string> names;
    for (const Product& product : m_tables->architectures().products) names.push_back(product.name);
    return names;
}

Known<Arch> Facts::gpu_by_name(const std::string& name) const {
    const Lock lock(m_tables->mutex);
    Known<Arch> known = find_gpu(m_tables->architectures(), name);
    return known ? known : find_board(m_tables->pci_ids(), name, known);
}

PciGpu Facts::pci_gpu(const std::string& device) const {
    const Lock lock(m_tables->mutex);
    const PciTable& table = m_tables->pci_ids();
    const auto found = table.find(device);
    return found == table.end() ? PciGpu{} : found->second;
}

const FrameworkRelease* Facts::framework_release(const std::string& package, const Version& version) const {
    const Lock lock(m_tables->mutex);
    const FrameworkRelease* found = nullptr;
    for (const auto& release : m_tables->framework(package).releases) {
        if (release.version != version || release.version.is_prerelease() != version.is_prerelease())
            continue;
        // 2.15.0 and 2.15.0.post1 have the same numbers: prefer the same text, then the one without a suffix.
        const std::string wanted = version.without_local();
        if (release.version.text == wanted) return &release;
        if (!found || release.version.suffix.empty()) found = &release;
    }
    return found;
}

std::vector<Version> Facts::framework_releases(const std::string& package) const {
    const Lock lock(m_tables->mutex);
    std::vector<Version> versions;
    for (const auto& release : m_tables->framework(package).releases) versions.push_back(release.version);
    return versions;
}

const PypiPackage* Facts::pypi(const std::string& package) const {
    const Lock lock(m_tables->mutex);
    const PypiPackage* table = m_tables->pypi(package);
    return table->releases.empty() ? nullptr : table;
}

const ReleaseList* Facts::release_list(const std::string& package) const {
    const Lock lock(m_tables->mutex);
    const FrameworkTable& table = m_tables->framework(package);
    return table.list ? &*table.list : nullptr;
}

std::vector<std::string> Facts::sibling_packages(const std::string& package) const {
    const Lock lock(m_tables->mutex);
    const FrameworkTable& table = m_tables->framework(package);
    std::vector<std::string> packages;
    for (const std::string& path : m_tables->store.paths("frameworks/")) {
        const std::string name = path.substr(path.find('/') + 1, path.rfind('.') - path.find('/') - 1);
        const FrameworkTable& other = m_tables->framework(name);
        if (!other.framework.empty() && other.framework == table.framework && other.part == table.part)
            packages.push_back(name);
    }
    std::sort(packages.begin(), packages.end());
    return packages;
}

const std::vector<KnownBad>& Facts::known_bad() const {
    const Lock lock(m_tables->mutex);
    return m_tables->known_bad();
}

std::vector<Trouble> Facts::troubles() const {
    const Lock lock(m_tables->mutex);
    return m_tables->troubles;
}

std::vector<std::string> Facts::files(std::string_view folder) const { return m_tables->store.paths(folder); }

std::optional<std::string> Facts::text(const std::string& path) const {
    const auto candidates = m_tables->store.candidates(path);
    return candidates.empty() ? std::nullopt : std::optional<std::string>(candidates.front().text);
}

}  // namespace ptxguard
