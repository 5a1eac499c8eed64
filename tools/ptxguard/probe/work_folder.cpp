// The work folder of one toolkit's probes.
// SPDX-License-Identifier: Apache-2.0
#include "probe/work_folder.hpp"

#include "host/host.hpp"
#include "host/paths.hpp"
#include "probe/compile.hpp"
#include "probe/ptx_source.hpp"

namespace ptxguard {

WorkFolder::~WorkFolder() {
    if (!m_path.empty()) own::remove_tree(m_path);
}

Result<std::string> WorkFolder::path() {
    if (!m_path.empty()) return m_path;
    auto made = own::temporary_folder();
    if (!made) return made;
    m_path = *made;
    if (auto trouble = own::write_file(join_path(m_path, k_source_file), k_probe_source)) return *trouble;
    return m_path;
}

bool WorkFolder::has_room() {
    auto folder = path();
    if (!folder) return false;
    const std::string file = join_path(*folder, "room");
    bool written = !own::write_file(file, std::string(4u << 20, 'x'));
    own::remove_tree(file);
    return written;
}

}  // namespace ptxguard
