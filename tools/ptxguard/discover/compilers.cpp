// Two paths are one tool if they are the same file, or if size and samples of their bytes (including the
// linker's build id) agree: wheels and installers contain many copies of the same ptxas.
// SPDX-License-Identifier: Apache-2.0
#include "discover/compilers.hpp"

#include "formats/version_text.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "packages/reading.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_sample = 16u << 10;
constexpr int k_samples = 12;

// libnvrtc.so next to libnvrtc.so.13 is the same library.
void add_name(std::vector<std::string>& names, const std::string& path, const std::string& first) {
    const bool beside = parent_path(path) == parent_path(first) && path.find(".so") != std::string::npos;
    if (path != first && !beside) add_once(names, path);
}

// Why a program or library cannot be used, as far as its directory entry shows.
std::string trouble_of(const FileStatus& status, bool program) {
    if (status.type != FileType::regular) return why_no_file(status.type);
    return program && !status.executable ? "is not executable" : "";
}

bool is_program(ConsumerKind kind) { return kind == ConsumerKind::ptxas || kind == ConsumerKind::tileiras; }
bool is_program(ProducerKind kind) { return kind == ProducerKind::clang; }

// Scripts may use their own path; NVRTC opens the builtins next to it. tileiras calls the ptxas beside it.
bool depends_on_place(ConsumerKind kind) { return kind == ConsumerKind::tileiras; }
bool depends_on_place(ProducerKind kind) { return kind != ProducerKind::libnvvm; }

template <typename Tool>
std::string next_id(const char* name, const std::vector<Tool>& all) {
    return name + std::to_string(all.size() + 1);
}
std::string next_id(const std::vector<Producer>& all) { return next_id("producer", all); }
std::string next_id(const std::vector<Consumer>& all) { return next_id("consumer", all); }

bool named_by_option(const Scenario& scenario, const Toolkit& toolkit) {
    return any_of(scenario.selectors, [&](const Selector& selector) {
        return selector.kind == SelectorKind::option && selector.toolkit == toolkit.id;
    });
}

void add_toolkit(const Toolkit& toolkit, FoundCompilers& found) {
    if (const Part* nvcc = toolkit.part(PartKind::nvcc)) found.add_nvcc(toolkit, *nvcc);
    if (const Part* ptxas = toolkit.part(PartKind::ptxas)) {
        found.add(ConsumerKind::ptxas, ptxas->path, ptxas->version);
        add_tileiras(parent_path(ptxas->path), found);
    }
    if (const Part* nvvm = toolkit.part(PartKind::nvvm))
        found.add(ProducerKind::libnvvm, nvvm->path, nvvm->version);
    if (const Part* nvrtc = toolkit.part(PartKind::nvrtc)) {
        found.add(ProducerKind::nvrtc, nvrtc->path, nvrtc->version);
        find_libraries_in(parent_path(nvrtc->path), found);
    }
    // Its nvcc may run the ptxas of another folder.
    std::vector<std::string> roots = toolkit.names;
    add_once(roots, toolkit.root);
    for (const std::string& root : roots) {
        add_tileiras(join_path(root, "bin"), found);
        for (const char* folder : {"lib64", "lib", "bin"}) find_linker_in(join_path(root, folder), found);
    }
}

void add_path(FoundCompilers& found) {
    const Host& host = found.host();
    bool clang = false;
    for (const PathFolder& entry : path_folders(host)) {
        const std::string ptxas = join_path(entry.folder, executable_name("ptxas", host.system()));
        if (is_file(host, ptxas)) found.add(ConsumerKind::ptxas, ptxas);
        const std::string compiler = join_path(entry.folder, executable_name("clang", host.system()));
        if (!clang && is_file(host, compiler)) clang = found.add(ProducerKind::clang, compiler);
    }
}

void add_named(const std::string& path, Scenario& scenario, FoundCompilers& found) {
    bool there = false;
    switch (tool_file(path)) {
        case ToolFile::ptxas: there = found.add(ConsumerKind::ptxas, path); break;
        case ToolFile::nvjitlink: there = found.add(ConsumerKind::nvjitlink, path); break;
        case ToolFile::tileiras: there = found.add(ConsumerKind::tileiras, path); break;
        case ToolFile::nvrtc:
            there = found.add(ProducerKind::nvrtc, path, library_version(found, path, "nvrtc"));
            break;
        case ToolFile::libnvvm: there = found.add(ProducerKind::libnvvm, path); break;
        case ToolFile::clang: there = found.add(ProducerKind::clang, path); break;
        default: return;
    }
    if (!there) scenario.unreadable.push_back({path, "does not exist", true, Origin::from_file(path)});
}

void scan_versions(const Host& host, Matrix& matrix) {
    for (Consumer& consumer : matrix.consumers)
        if (!consumer.version && !consumer.path.empty() && consumer.trouble.empty())
            consumer.version = scanned_version(host.open(consumer.path), consumer.path);
    for (Producer& producer : matrix.producers)
        if (!producer.version &&
            (producer.kind == ProducerKind::nvrtc || producer.kind == ProducerKind::libnvvm))
            producer.version = scanned_version(host.open(producer.path), producer.path);
}

}  // namespace

std::string FoundCompilers::sample(const std::string& path, const FileStatus& status) const {
    auto known = m_samples.find(path);
    if (known != m_samples.end()) return known->second;
    std::string bytes;
    if (const auto source = m_host.open(path))
        for (int i = 0; i <= k_samples; ++i) {
            const std::uint64_t at =
                status.size > k_sample ? (status.size - k_sample) / k_samples * static_cast<std::uint64_t>(i)
                                       : 0;
            bytes += read_bytes(*source, at, k_sample);
            if (status.size <= k_sample) break;
        }
    return m_samples[path] = bytes;
}

bool FoundCompilers::same_tool(const Mark& known, const std::string& path, const FileStatus& status) const {
    if (known.status.device == status.device && known.status.inode == status.inode && status.inode != 0)
        return true;
    if (known.status.size != status.size || status.size == 0) return false;
    const std::string bytes = sample(path, status);
    return !bytes.empty() && !starts_with(bytes, "#!") && bytes == sample(known.path, known.status);
}

template <typename Tool, typename Kind>
bool FoundCompilers::add_to(std::vector<Tool>& all, std::multimap<Kind, Mark>& marks, Kind kind,
                            const std::string& written, const Known<Version>& version) {
    std::string path = written;  // programs run in another folder than ours
    if (!is_absolute(path, m_host.system()))
        if (const auto real = m_host.real_path(path)) path = *real;
    const FileStatus status = m_host.status(path);
    if (status.type == FileType::missing) return false;
    const std::string trouble = trouble_of(status, is_program(kind));
    if (trouble.empty()) {
        const auto [begin, end] = marks.equal_range(kind);
        for (auto known = begin; known != end; ++known) {
            const bool same_file = known->second.status.inode == status.inode &&
                                   known->second.status.device == status.device && status.inode != 0;
            if (!same_file && (depends_on_place(kind) || !same_tool(known->second, path, status))) continue;
            Tool& tool = all[known->second.index];
            add_name(tool.names, path, tool.path);
            if (!tool.version) tool.version = version;
            return true;
        }
        marks.emplace(kind, Mark{status, path, all.size()});
    }
    Tool tool;
    tool.id = next_id(all);
    tool.kind = kind;
    tool.path = path;
    tool.version = version;
    tool.trouble = trouble;
    all.push_back(std::move(tool));
    return true;
}

Consumer* FoundCompilers::consumer_at(const std::string& path) {
    for (Consumer& consumer : m_matrix.consumers)
        if (consumer.path == path || contains(consumer.names, path)) return &consumer;
    return nullptr;
}

bool FoundCompilers::add(ConsumerKind kind, const std::string& path, const Known<Version>& version,
                         const std::string& used_for) {
    if (!add_to(m_matrix.consumers, m_consumers, kind, path, version)) return false;
    if (!used_for.empty()) add_use(path, used_for);
    return true;
}

void FoundCompilers::add_use(const std::string& path, const std::string& used_for) {
    Consumer* consumer = consumer_at(path);
    if (!consumer || consumer->used_for.find(used_for) != std::string::npos) return;
    consumer->used_for += (consumer->used_for.empty() ? "" : "; ") + used_for;
}

// A search result describes a tool better than its location.
void FoundCompilers::add_picks(const std::vector<Pick>& picks) {
    std::vector<const Pick*> taken;
    for (const Pick& pick : picks)
        if (pick.search && pick.tool == "ptxas" && !pick.path.empty() &&
            add(ConsumerKind::ptxas, pick.path, pick.version))
            taken.push_back(&pick);
    for (const Pick* pick : taken)
        if (Consumer* consumer = consumer_at(pick->path)) consumer->used_for.clear();
    for (const Pick* pick : taken) add_use(pick->path, pick->consumer);
}

bool FoundCompilers::add(ProducerKind kind, const std::string& path, const Known<Version>& version) {
    return add_to(m_matrix.producers, m_producers, kind, path, version);
}

Producer& FoundCompilers::add_nvcc(const Toolkit& toolkit, const Part& nvcc) {
    Producer producer;
    producer.id = next_id(m_matrix.producers);
    producer.kind = ProducerKind::nvcc;
    producer.path = nvcc.path;
    producer.version = nvcc.version;
    producer.toolkit = toolkit.id;
    producer.trouble = nvcc.trouble;
    for (const std::string& name : toolkit.names)
        if (is_absolute(name, m_host.system()))  // as the user wrote it, it may be relative
            add_name(producer.names, join_path(name, "bin/" + executable_name("nvcc", m_host.system())),
                     nvcc.path);
    m_matrix.producers.push_back(std::move(producer));
    return m_matrix.producers.back();
}

// NVRTC writes LTO-IR with -dlto from 12.0; only nvJitLink reads it.
void FoundCompilers::add_lto_producers() {
    const auto links = [](const Consumer& consumer) { return consumer.kind == ConsumerKind::nvjitlink; };
    if (none_of(m_matrix.consumers, links)) return;
    std::vector<Producer>& all = m_matrix.producers;
    for (std::size_t i = 0, last = all.size(); i < last; ++i) {
        constexpr int k_first_major = 12;
        if (all[i].kind != ProducerKind::nvrtc || (all[i].version && all[i].version->major() < k_first_major))
            continue;
        Producer producer = all[i];
        producer.id = next_id(all);
        producer.code = EntryKind::ltoir;
        all.push_back(std::move(producer));
    }
}

Producer& FoundCompilers::add_triton(const std::string& folder, const Known<Version>& version) {
    Producer producer;
    producer.id = next_id(m_matrix.producers);
    producer.kind = ProducerKind::triton;
    producer.path = folder;
    producer.version = version;
    m_matrix.producers.push_back(std::move(producer));
    return m_matrix.producers.back();
}

void FoundCompilers::add_driver(const Driver& driver) {
    if (driver.jit.empty()) {
        if (driver.stub || (!driver.version && !driver.cuda)) return;
        Consumer consumer;
        consumer.id = next_id(m_matrix.consumers);
        consumer.kind = ConsumerKind::driver;
        consumer.version = driver.version;
        consumer.driver = driver;
        m_matrix.consumers.push_back(std::move(consumer));
        return;
    }
    for (const JitLibrary& library : driver.jit) {
        const std::size_t before = m_matrix.consumers.size();
        add(ConsumerKind::driver_jit, library.path,
            library.driver_version ? library.driver_version : driver.version);
        if (m_matrix.consumers.size() == before) continue;
        m_matrix.consumers.back().driver = driver;
        m_matrix.consumers.back().driver.jit = {library};
    }
}

// One GPU per compute capability, which is how the child selects it.
void FoundCompilers::add_gpus(const Driver& driver, const std::vector<Gpu>& gpus) {
    if (driver.libcuda.empty() || driver.stub || driver.declared) return;
    std::vector<Arch> known;
    for (const Gpu& gpu : gpus) {
        if (gpu.declared || !gpu.arch || contains(known, *gpu.arch)) continue;
        known.push_back(*gpu.arch);
        Consumer consumer;
        consumer.id = next_id(m_matrix.consumers);
        consumer.kind = ConsumerKind::gpu;
        consumer.path = driver.libcuda;
        consumer.version = driver.version;
        consumer.driver = driver;
        consumer.gpu = gpu;
        m_matrix.consumers.push_back(std::move(consumer));
    }
}

void discover_compilers(const Host& host, const Request& request, const CompilerSearch& search,
                        Scenario& scenario, Matrix& matrix) {
    FoundCompilers found(host, matrix);
    for (const Toolkit& toolkit : scenario.toolkits)
        if (!search.only_named || named_by_option(scenario, toolkit)) add_toolkit(toolkit, found);
    for (const std::string& path : search.tools) add_named(path, scenario, found);
    if (!search.only_named) add_path(found);
    if (!search.only_named || !request.python.empty()) find_python_compilers(scenario.python, found);
    for (const Driver& driver : scenario.drivers)
        if (!search.only_named_drivers || driver.declared) found.add_driver(driver);
    if (!search.only_named_drivers)
        for (const Driver& driver : scenario.drivers) found.add_gpus(driver, scenario.gpus);
    if (!search.only_named) found.add_picks(scenario.picks);
    found.add_lto_producers();
    if (search.scan) scan_versions(host, matrix);
    const Toolkit* build = scenario.build_toolkit();
    for (Producer& producer : matrix.producers)
        if (producer.kind == ProducerKind::clang && build) producer.root = build->root;
}

}  // namespace ptxguard
