// SPDX-License-Identifier: Apache-2.0
#include "host/ld_so_conf.hpp"

#include <set>

#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// The file belongs to the checked tree: an included file may include it again, under any of its names.
constexpr std::size_t k_most_files = 256, k_most_folders = 4096;
constexpr std::size_t k_most_bytes = 1u << 20;  // of all files

class Reader {
public:
    explicit Reader(const Host& host) : m_host(host) {}

    void read(const std::string& path) {
        if (!m_read.insert(real_or_same(m_host, path)).second) return;
        if (m_read.size() > k_most_files)
            return give_up("includes more than " + std::to_string(k_most_files) + " files");
        const auto text = m_host.read(path, k_most_bytes);
        if (!text) {
            if (is_file(m_host, path)) give_up("cannot be read to its end: " + text.trouble().text());
            return;
        }
        m_bytes += text->size();
        if (m_bytes > k_most_bytes)
            return give_up("is larger than " + std::to_string(k_most_bytes) + " bytes");
        for (const std::string& line : split(*text, "\n")) {
            if (!conf.trouble.empty()) return;
            add_line(path, trim(line.substr(0, line.find('#'))));
        }
    }

    LdSoConf conf;

private:
    void add_line(const std::string& path, const std::string& words) {
        if (starts_with(words, "include ") || starts_with(words, "include\t")) {
            for (const std::string& pattern : split(words.substr(8), " \t")) {
                const std::string named =
                    is_absolute(pattern, System::linux_) ? pattern : join_path(parent_path(path), pattern);
                for (const std::string& file : paths_matching(m_host, named)) read(file);
            }
            return;
        }
        if (starts_with(words, "hwcap")) return;
        for (const std::string& folder : split(words, ": \t,")) {
            if (conf.folders.size() >= k_most_folders)
                return give_up("names more than " + std::to_string(k_most_folders) + " folders");
            if (is_absolute(folder, System::linux_)) conf.folders.push_back(folder);
        }
    }
    void give_up(const std::string& why) {
        if (conf.trouble.empty()) conf.trouble = "/etc/ld.so.conf " + why;
    }

    const Host& m_host;
    std::set<std::string> m_read;
    std::size_t m_bytes = 0;
};

}  // namespace

LdSoConf ld_so_conf(const Host& host) {
    Reader reader(host);
    reader.read("/etc/ld.so.conf");
    return std::move(reader.conf);
}

}  // namespace ptxguard
