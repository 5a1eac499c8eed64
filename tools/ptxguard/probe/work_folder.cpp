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

}  // namespace ptxguard
