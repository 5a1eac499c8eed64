// The import statements of a Python file, and the libraries that it loads by path, read without Python.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ptxguard {

struct PythonImport {
    std::string module;              // "a.b", ".c" as written
    std::vector<std::string> names;  // after `from ... import`; empty = `import`
};
// Imports that always run when the file is imported: not in a function, not in a try block, not under
// TYPE_CHECKING.
std::vector<PythonImport> unconditional_imports(std::string_view text);

// The files that such statements load as libraries (torch.ops.load_library, ctypes.CDLL), by the names in
// their strings, without folders; one for each time.
std::vector<std::string> unconditional_loads(std::string_view text);

// Whether a function in which `word` is used may have returned before it.
bool may_return_before(std::string_view text, std::string_view word);

// ".x" in package a.b is a.b.x, "..x" is a.x; another name is absolute.
std::string absolute_module(const std::string& module, std::string package);

}  // namespace ptxguard
