// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "formats/library_text.hpp"
#include "formats/python_imports.hpp"

namespace ptxguard {
namespace {

std::string imported(std::string_view text) {
    std::string words;
    for (const PythonImport& import : unconditional_imports(text)) {
        words += (words.empty() ? "" : "; ") + import.module;
        for (const std::string& name : import.names) words += " " + name;
    }
    return words;
}

}  // namespace

TEST_CASE("imports of a Python file in all their forms") {
    CHECK(imported("import a.b as c, d\n") == "a.b; d");
    CHECK(imported("from . import _C\nfrom ..x import y as z, w  # why\n") == ". _C; ..x y w");
    CHECK(imported("from a import (\n    b,\n    c as d,\n)\nimport e\n") == "a b c; e");
    CHECK(imported("from a import b, \\\n    c\nimport e\n") == "a b c; e");
    CHECK(imported("if x:\n    import a\nelse:\n    import b\n") == "a; b");
    CHECK(imported("important = 1\nfrom_here = 2\n") == "");
}

TEST_CASE("imports that may not run, or that may fail, are left out") {
    CHECK(
        imported("try:\n    import a\nexcept ImportError:\n    import b\nelse:\n    import c\nimport d\n") ==
        "d");
    CHECK(imported("def f():\n    import a\n    if x:\n        import b\nimport c\n") == "c");
    CHECK(imported("if TYPE_CHECKING:\n    import a\nimport b\n") == "b");
    CHECK(imported("with contextlib.suppress(ImportError):\n    import a\nimport b\n") == "b");
    CHECK(imported("\"\"\"Text.\n\nimport a\n\"\"\"\nimport b\n") == "b");
    CHECK(imported("x = '''import a'''\nimport b\n") == "b");
}

TEST_CASE("the outermost scope of a mangled name") {
    CHECK(mangled_scope("_ZN3c104cuda9SetDeviceEi") == "c10");
    CHECK(mangled_scope("_ZNK2at10TensorBase4nameEv") == "at");
    CHECK(mangled_scope("_ZTVN3c105ErrorE") == "c10");
    CHECK(mangled_scope("_ZGVZN5torch3libE") == "");
    CHECK(mangled_scope("_Z3fooi") == "");
    CHECK(mangled_scope("_ZNSt6vectorIiEE") == "");
    CHECK(mangled_scope("_ZN99x") == "");
    CHECK(mangled_scope("cudaMalloc") == "");
}

TEST_CASE("a function may return before it uses a name") {
    const std::string load = "    lib = f\"libaddon_torch{v}.so\"\n";
    CHECK(may_return_before("def f():\n    if x:\n        return None\n" + load, "libaddon"));
    CHECK_FALSE(may_return_before("def f():\n" + load + "    return lib\n", "libaddon"));
    CHECK_FALSE(may_return_before("def f():\n    return 1\ndef g():\n" + load, "libaddon"));
    CHECK_FALSE(may_return_before("def f():\n    \"\"\"\n    return\n    \"\"\"\n" + load, "libaddon"));
    CHECK(may_return_before("def f():\n    return\n    def g():\n        x = 'libaddon'\n", "libaddon"));
}

TEST_CASE("libraries that a Python file always loads by their path") {
    using Names = std::vector<std::string>;
    CHECK(unconditional_loads(
              "torch.ops.load_library(\n    os.path.join(here(__file__), \"a.so\")\n)\nx = 'b.so'\n") ==
          Names{"a.so"});
    CHECK(unconditional_loads("if x:\n    lib = ctypes.CDLL(f'{folder}/lib/c.so')\n") == Names{"c.so"});
    CHECK(unconditional_loads("try:\n    load_library('a.so')\nexcept OSError:\n    pass\n").empty());
    CHECK(unconditional_loads("def f():\n    CDLL('a.so')\n").empty());
    CHECK(unconditional_loads("load_library('a.so\n").empty());
}

}  // namespace ptxguard
