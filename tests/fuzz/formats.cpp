// Readers without a target of their own: archives and compressed bytes, small formats, and what packages,
// host and discover read on a machine, where every record and start file has these bytes.
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "ask.hpp"
#include "discover/profile.hpp"
#include "formats/fatbin.hpp"
#include "formats/header_defines.hpp"
#include "formats/library_text.hpp"
#include "formats/python_imports.hpp"
#include "formats/tar.hpp"
#include "formats/text_lines.hpp"
#include "formats/toml.hpp"
#include "formats/version_text.hpp"
#include "formats/yaml.hpp"
#include "formats/zip.hpp"
#include "host/fake_host.hpp"
#include "host/ld_so_conf.hpp"
#include "model/json.hpp"
#include "packages/conda.hpp"
#include "packages/dpkg.hpp"
#include "packages/owner.hpp"
#include "packages/python.hpp"
#include "packages/wheels.hpp"

using namespace ptxguard;

namespace {

constexpr std::uint64_t k_most_unpacked = 1u << 20;
constexpr Limit k_most_of_toml{1u << 20, "bytes", "the file"};

void ask_archives(const Source& source) {
    if (const auto members = read_zip(source, k_most_unpacked)) {
        for (const ZipMember& member : *members) {
            look_at(member.name);
            const auto packed = packed_bytes(source, member);
            if (packed && member.method == 8 && member.size < k_most_unpacked)
                if (const auto bytes = inflate(*packed, member.size)) look_at(*bytes);
        }
    }
    TarReader tar(source);
    while (const auto member = tar.next()) look_at(member->name);
    look_at(tar.trouble());
    (void)inflate(source, source.size * 2);
    if (const auto size = gunzipped_size(source); size && *size < k_most_unpacked)
        (void)gunzip(source, *size);
    std::uint64_t left = k_most_unpacked;
    const Unzstd stream(source, left);
    look_at(read_bytes(stream.source(), 0, k_most_unpacked));
    look_at(stream.trouble());
}

void look_at_all(const Tree& tree) {
    look_at(tree.text);
    for (const Tree& item : tree.items) look_at_all(item);
    for (const auto& [name, value] : tree.members) {
        look_at(name.text);
        look_at_all(value);
    }
}

void ask_texts(std::string_view text) {
    (void)read_host_config(text);
    (void)read_raw_ir(text);
    for (const PythonImport& one : unconditional_imports(text)) look_at(one.module);
    if (const auto tree = read_toml(text, "x", k_most_of_toml)) look_at_all(*tree);
    if (const auto documents = read_yaml(text, "x"))
        for (const Tree& document : *documents) look_at_all(document);
    if (const auto json = parse_json(text, "x")) {
        // What is written can be read again.
        const std::string written = to_text(*json);
        const auto again = parse_json(written, "again");
        if (!again || to_text(*again) != written) std::abort();
    }
    for (const std::string_view line : lines_of(text)) {
        look_at(mangled_scope(line));
        (void)tool_file(std::string(line));
        (void)upstream_version(line);
        for (const std::string& value : flag_values(line, "-I")) look_at(value);
    }
    const NvccProfile profile = parse_profile(text, {{"_HERE_", "/cuda/bin"}, {"_TARGET_DIR_", ""}});
    for (const std::string& folder : profile.include_folders()) look_at(folder);
    for (const std::string& folder : profile.library_folders()) look_at(folder);
}

const std::string k_site = "/env/lib/python3.11/site-packages/";

FakeHost machine_of(const std::string& text) {
    FakeHost host;
    for (const char* path :
         {"/etc/ld.so.conf", "/etc/ld.so.conf.d/a.conf", "/env/conda-meta/a-1-0.json", "/env/pyvenv.cfg",
          "/var/lib/dpkg/status", "/var/lib/dpkg/info/a.list", "/root/.bashrc", "/etc/profile"})
        host.file(path, text);
    for (const char* path :
         {"a-1.dist-info/METADATA", "a-1.dist-info/RECORD", "a-1.dist-info/WHEEL",
          "a-1.dist-info/direct_url.json", "a.pth", "b.egg-link", "a/__init__.py", "a/b.so"})
        host.file(k_site + path, text);
    host.program("/env/bin/python3", text).env("HOME", "/root").env("PYTHONPATH", "/env/lib");
    host.file("/env/bin/python3.11", text);
    return host;
}

void ask_machine(const std::string& text) {
    const FakeHost host = machine_of(text);
    for (const std::string& folder : ld_so_conf(host).folders) look_at(folder);
    if (const auto package = read_conda_package(host, "/env/conda-meta/a-1-0.json")) look_at(package->name);
    (void)conda_records(host, "/env");
    (void)dpkg_version(host, "a");
    look_at(PackageOwners(host).owner(k_site + "a/b.so", {"a"}).package);
    for (const InstalledWheel& wheel : installed_wheels(host, k_site, {"a"}))
        for (const RecordedFile& file : recorded_files(host, wheel)) look_at(file.path);
    for (const std::string& tag : wheel_tags(host, k_site + "a-1.dist-info")) look_at(tag);
    (void)imports_unconditionally(host, k_site, {"a"}, "a._C");
    look_at(follow_wrappers(host, "/env/bin/python3"));
    if (const auto layout = layout_of_prefix(host, "/env"))
        (void)with_added_paths(host, site_folders(host, *layout));
    if (const auto place = where_set(host, "CUDA_HOME", "/cuda")) look_at(place->file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ask_whole_and_shrinking(data, size, ask_archives);
    const std::string text(reinterpret_cast<const char*>(data), size);
    ask_texts(text);
    ask_machine(text);
    return 0;
}
