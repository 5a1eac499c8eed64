// Search path entries, misspelt variables, the host compiler and the project's architectures.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "discover/selectors.hpp"
#include "worlds.hpp"

using namespace ptxguard;
using namespace worlds;

TEST_CASE("a CUDA-looking entry that does not exist is reported, with its position and the intended folder") {
    FakeHost host;
    toolkit(host, "/usr/local/cuda", "13.0.88");
    host.folder("/opt/nvidia/lib").link("/opt/cuda", "/nothing");
    host.env("PATH", "/usr/local/cudda/bin:/usr/bin:/opt/cuda/bin")
        .env("LD_LIBRARY_PATH", "/usr/local/cuda/lib46::/opt/nvidia/lib");
    host.env("CMAKE_PREFIX_PATH", "/opt/cudnn-9").env("CPATH", "").env("LIBRARY_PATH", "relative/cuda");
    const auto entries = look(host).entries;
    REQUIRE(entries.size() == 4);
    CHECK(entries[0].variable == "PATH");
    CHECK(entries[0].position == 1);
    CHECK(entries[0].nearest == "/usr/local/cuda/bin");
    CHECK(entries[1].position == 3);
    CHECK(entries[2].value == "/usr/local/cuda/lib46");
    CHECK(entries[2].nearest == "/usr/local/cuda/lib64");
    CHECK(entries[3].value == "/opt/cudnn-9");
    CHECK(entries[3].nearest == "");
}

TEST_CASE(
    "on Windows an entry with blanks at its ends, a variable or a program in it is named, with its folder") {
    FakeHost host(System::windows);
    host.file("D:/CUDA/v11.0/bin/ptxas.exe", "MZ").env("CUDA_PATH", "D:\\CUDA\\v11.0");
    const auto entry = [&](const std::string& text) {
        host.env("PATH", "C:\\Windows;" + text);
        Scenario scenario;
        scenario.system = System::windows;
        read_environment(host, scenario);
        return scenario.entries.size() == 1 ? scenario.entries[0] : EnvironmentEntry();
    };
    for (const char* text : {" D:\\CUDA\\v11.0\\bin", "D:\\CUDA\\v11.0\\bin ", "\tD:/CUDA/v11.0/bin\\"}) {
        CAPTURE(text);
        CHECK(entry(text).problem == PathProblem::blanks);
        CHECK(entry(text).value == text);
        CHECK(entry(text).position == 2);
        CHECK(entry(text).nearest == "D:/CUDA/v11.0/bin");
    }
    CHECK(entry("%CUDA_PATH%\\bin").problem == PathProblem::unexpanded);
    CHECK(entry("%CUDA_PATH%\\bin").nearest == "D:/CUDA/v11.0/bin");
    CHECK(entry("%CUDAPATH%\\bin").problem == PathProblem::unexpanded);
    CHECK(entry("%CUDAPATH%\\bin").nearest == "");
    CHECK(entry("D:\\CUDA\\v11.0\\bin\\ptxas.exe").problem == PathProblem::file);
    CHECK(entry("D:\\CUDA\\v11.0\\bin\\ptxas.exe").nearest == "D:/CUDA/v11.0/bin");
    CHECK(entry(" D:\\CUDA\\v11.0\\bni").nearest == "D:/CUDA/v11.0/bin");
    CHECK(entry("\"D:\\CUDA\\v11.0\\bin\"").variable.empty());
    CHECK(entry(" C:\\Program Files\\Git\\cmd").variable.empty());  // not of CUDA
    CHECK(entry("%JAVA_HOME%\\bin").variable.empty());
}

TEST_CASE("entries unrelated to CUDA are ignored") {
    FakeHost host;
    host.env("PATH", "/nowhere/bin:/opt/coda/bin:/home/me/barracuda2")
        .env("LD_LIBRARY_PATH", "/missing/lib:");
    CHECK(look(host).entries.empty());
}

TEST_CASE("a misspelt variable is reported; unrelated names are not") {
    const auto meant = [](const std::string& name, const std::string& value = "/usr/local/cuda") {
        FakeHost host;
        host.env(name, value);
        const auto entries = look(host).entries;
        return entries.empty() ? std::string() : entries[0].nearest;
    };
    CHECK(meant("LD_LIBARY_PATH") == "LD_LIBRARY_PATH");
    CHECK(meant("LD_LIBRARY_PAHT") == "LD_LIBRARY_PATH");
    CHECK(meant("CUDA_HOMEE") == "CUDA_HOME");
    CHECK(meant("CUDAHOME") == "CUDA_HOME");
    CHECK(meant("CUDA_PTAH") == "CUDA_PATH");
    for (const char* name :
         {"CUDA_HOME", "CUDADIR", "CUDA_DIR", "DYLD_LIBRARY_PATH", "LD_LIBRARY_PATH_64", "GOPATH", "MANPATH",
          "CUDNN_DIR", "XPATH", "MY_LD_LIBRARY_PATH", "CUDA_ARCH", "JAVA_HOME", "CONDA_HOME",
          "CUDA_CACHE_PATH", "LD_LIBRARY_PATH", "OLD_LIBRARY_PATH", "CUDA_PATH_V13_0", "CUDACXX"}) {
        CAPTURE(name);
        CHECK(meant(name) == "");
    }
    CHECK(meant("CUDA_HOMEE", "13.0") == "");  // contains no path
}

namespace {
HostCompiler compiler_of(FakeHost& host, const Request& request = {}) {
    host.program("/usr/bin/gcc", "12.2.0\n").program("/usr/bin/g++-11", "11.4.0\n");
    host.program("/usr/bin/clang++", "Debian clang version 14.0.6\nTarget: x\n").env("PATH", "/usr/bin");
    return look(host, request).project.host_compiler;
}
}  // namespace

TEST_CASE("the bin folder on PATH in NVIDIA's images is not an error if the image has no compiler") {
    FakeHost host;
    host.file("/usr/local/cuda/lib64/libcudart.so.12").env("PATH", "/usr/local/cuda/bin:/usr/bin");
    Scenario scenario;
    read_environment(host, scenario);
    CHECK(scenario.entries.empty());
    host.env("PATH", "/mnt/c/Program Files/NVIDIA Corporation/Nsight Compute 2024.3.0");  // WSL
    read_environment(host, scenario);
    CHECK(scenario.entries.empty());
    host.env("PATH", "/usr/local/cuda/bim:/usr/local/cuda-11/bin");
    read_environment(host, scenario);
    CHECK(scenario.entries.size() == 2);
}

TEST_CASE("the host compiler is gcc from PATH by default; CC and CXX are ignored") {
    FakeHost host;
    host.env("CC", "clang").env("CXX", "clang++");
    const HostCompiler found = compiler_of(host);
    CHECK(found.path == "/usr/bin/gcc");
    CHECK(found.family == "gcc");
    CHECK(found.version->text == "12.2.0");
    CHECK(found.chosen_by.text == "first gcc on PATH");
}

TEST_CASE("of several settings for the host compiler the one that nvcc uses counts") {
    FakeHost host;
    Request cmake;
    cmake.from_cmake = true;
    cmake.cmake_host_compiler = "/usr/bin/g++-11";
    host.env("NVCC_CCBIN", "clang++");
    CHECK(compiler_of(host).version->text == "14.0.6");
    host.env("NVCC_PREPEND_FLAGS", "-O1 -ccbin g++-11");
    CHECK(compiler_of(host).chosen_by.variable == "NVCC_PREPEND_FLAGS");
    CHECK(compiler_of(host).version->text == "11.4.0");
    host.env("NVCC_PREPEND_FLAGS", "-ccbin=clang++");
    CHECK(compiler_of(host, cmake).path == "/usr/bin/g++-11");
    host.env("NVCC_APPEND_FLAGS", "--compiler-bindir /usr/bin");
    CHECK(compiler_of(host, cmake).path == "/usr/bin/gcc");
    FakeHost other;
    other.env("CUDAHOSTCXX", "clang++");
    CHECK(compiler_of(other).family == "gcc");  // only CMake reads it
    cmake.cmake_host_compiler.clear();
    CHECK(compiler_of(other, cmake).family == "clang");
}

TEST_CASE("a host compiler that is missing or does not answer is reported") {
    FakeHost host;
    host.env("NVCC_CCBIN", "/nowhere/g++");
    CHECK(compiler_of(host).trouble == "was not found");
    FakeHost none;
    CHECK(look(none).project.host_compiler.trouble == "was not found");
    FakeHost bad;
    bad.program("/bin/gcc", "", 1).env("PATH", "/bin");
    CHECK(look(bad).project.host_compiler.trouble == "fails on -dumpfullversion -dumpversion (exit code 1)");
}

TEST_CASE("an nvcc that does not support NVCC_CCBIN still calls gcc from PATH") {
    const auto compiler = [](const std::string& nvcc, const std::string& bytes) {
        FakeHost host;
        toolkit(host, "/opt/cuda", nvcc);
        host.file("/opt/cuda/bin/nvcc", bytes);
        program(host, "/opt/cuda/bin/nvcc", nvcc);
        host.env("CUDA_HOME", "/opt/cuda").env("NVCC_CCBIN", "clang++");
        return compiler_of(host).path;
    };
    CHECK(compiler("11.8.89", "NVCC_CCBIN") == "/usr/bin/gcc");
    CHECK(compiler("12.4.131", "NVCC_CCBIN") == "/usr/bin/gcc");
    CHECK(compiler("12.9.86", "\177ELF without it") == "/usr/bin/gcc");
    CHECK(compiler("12.9.86", "\177ELF NVCC_CCBIN") == "/usr/bin/clang++");
    CHECK(compiler("13.0.88", "\177ELF") == "/usr/bin/clang++");
}

TEST_CASE("if the host compiler is too new, suitable ones on PATH are listed, newest first") {
    FakeHost host;
    toolkit(host, "/opt/cuda", "11.8.89");
    host.env("CUDA_HOME", "/opt/cuda").env("PATH", "/usr/bin").program("/usr/bin/gcc", "12.2.0\n");
    for (const char* name : {"g++-13", "g++-10", "g++-9", "clang++-14"})
        host.program(std::string("/usr/bin/") + name, "");
    CHECK(look_with_tables(host).project.host_compiler.fitting ==
          std::vector<std::string>{"g++-10", "g++-9", "clang++-14"});
    host.program("/usr/bin/gcc", "11.4.0\n");
    CHECK(look_with_tables(host).project.host_compiler.fitting.empty());
}

TEST_CASE("a compiler that is not run has the version of its name, else of its only folder of libraries") {
    const auto version = [](FakeHost host) {
        const HostCompiler found = look(host.foreign(true).env("PATH", "/usr/bin")).project.host_compiler;
        return found.version ? found.version->text : std::string();
    };
    FakeHost debian;
    debian.link("/usr/bin/gcc", "gcc-14").link("/usr/bin/gcc-14", "x86_64-linux-gnu-gcc-14");
    debian.program("/usr/bin/x86_64-linux-gnu-gcc-14", "");
    debian.file("/usr/lib/gcc/x86_64-linux-gnu/12/crtbegin.o");
    CHECK(version(debian) == "14");
    FakeHost fedora;
    fedora.program("/usr/bin/gcc", "").file("/usr/lib/gcc/x86_64-redhat-linux/16/crtbegin.o");
    CHECK(version(fedora) == "16");
    fedora.file("/usr/lib/gcc/x86_64-redhat-linux/15/crtbegin.o");
    CHECK(version(fedora) == "");  // either
    FakeHost suse;
    suse.link("/usr/bin/gcc", "gcc-7").program("/usr/bin/gcc-7", "");
    CHECK(version(suse) == "7");
    FakeHost launcher;  // what it starts is not known
    launcher.link("/usr/bin/gcc", "ccache").program("/usr/bin/ccache", "");
    launcher.file("/usr/lib/gcc/x86_64-redhat-linux/16/crtbegin.o");
    CHECK(version(launcher) == "");
    FakeHost llvm;
    llvm.env("NVCC_PREPEND_FLAGS", "-ccbin clang++").link("/usr/bin/clang++", "../lib/llvm-19/bin/clang");
    llvm.program("/usr/lib/llvm-19/bin/clang", "").file("/usr/lib/llvm-19/lib/clang/19/include/stddef.h");
    CHECK(version(llvm) == "19");
}

TEST_CASE("a gcc in nvcc's own folder comes before that of PATH") {
    FakeHost host;
    toolkit(host, "/opt/cuda", "12.4.131");
    host.env("CUDA_HOME", "/opt/cuda").env("PATH", "/usr/bin").program("/usr/bin/gcc", "14.2.0\n");
    CHECK(look(host).project.host_compiler.path == "/usr/bin/gcc");
    host.program("/opt/cuda/bin/gcc", "13.3.0\n");
    const HostCompiler own = look(host).project.host_compiler;
    CHECK((own.path == "/opt/cuda/bin/gcc" && own.family == "gcc" && own.version->text == "13.3.0"));
    FakeHost named = host;
    named.env("NVCC_PREPEND_FLAGS", "-ccbin g++-12").program("/usr/bin/g++-12", "12.3.0\n");
    CHECK(look(named).project.host_compiler.path == "/usr/bin/g++-12");
    // Not run: Debian's is a script that tries one after the other.
    host.foreign(true).program("/usr/bin/g++-12", "");
    script(host, "/opt/cuda/bin/gcc",
           "#!/bin/sh\nif g++-13 --version; then\n\tprog=gcc-13\nelif g++-12 --version; "
           "then\n\tprog=gcc-12\nfi\n");
    CHECK(look(host).project.host_compiler.version->text == "12");
    script(host, "/opt/cuda/bin/gcc", "#!/bin/sh\nif g++-13 --version; then\n\tprog=gcc-13\nfi\n");
    CHECK(look(host).project.host_compiler.path == "/usr/bin/gcc");
}

TEST_CASE("functions that the C library declares with noexcept and CUDA's headers without are listed") {
    const auto contradicted = [](const char* minor, const std::string& header, const char* gcc) {
        FakeHost host;
        toolkit(host, "/opt/cuda", "12.9.86");
        host.env("CUDA_HOME", "/opt/cuda").env("PATH", parent_path(gcc)).program(gcc, "14.2.0\n");
        host.file(
            "/usr/include/features.h",
            "/* __GLIBC__ and __GLIBC_MINOR__ are: */\n#define\t__GLIBC__\t2\n#define\t__GLIBC_MINOR__\t" +
                std::string(minor) + "\n");
        host.file("/opt/cuda/include/crt/host_config.h")
            .file("/opt/cuda/include/crt/math_functions.h", header);
        return look(host).project.host_compiler.contradicted;
    };
    using Names = std::vector<std::string>;
    const std::string start = "extern __DEVICE_FUNCTIONS_DECL__ double  ";
    const std::string plain = " * \\p rsqrt(double x)\n" + start + "rsqrt(double x);\n" + start +
                              "cospi(double x);\n__func__(double cospi(double a));\n";
    CHECK(contradicted("41", plain, "/usr/bin/gcc") == Names{"cospi"});
    CHECK(contradicted("42", plain, "/usr/bin/gcc") == Names{"cospi", "rsqrt"});
    CHECK(contradicted("40", plain, "/usr/bin/gcc").empty());
    CHECK(contradicted("42", plain, "/opt/conda/bin/gcc").empty());  // brings its own C library
    const std::string patched = start + "rsqrt(double x) noexcept(true);\n" + start +
                                "cospi(double x) __NV_IEC_60559_FUNCS_EXCEPTION_SPECIFIER;\n";
    CHECK(contradicted("42", patched, "/usr/bin/gcc").empty());
}

TEST_CASE("CUDA's headers in the compiler's own folder are system headers, which contradict nothing") {
    FakeHost host;
    toolkit(host, "/usr", "12.4.131");
    host.env("CUDA_HOME", "/usr").env("PATH", "/usr/bin").program("/usr/bin/gcc", "14.2.0\n");
    host.file("/usr/include/features.h", "#define __GLIBC__ 2\n#define __GLIBC_MINOR__ 41\n")
        .file("/usr/include/crt/host_config.h")
        .file("/usr/include/crt/math_functions.h", "extern double cospi(double x);\n");
    CHECK(look(host).project.host_compiler.contradicted.empty());
}

TEST_CASE("the version of cl.exe is that of its toolset's folder") {
    FakeHost host(System::windows);
    const std::string folder = "C:/VS/VC/Tools/MSVC/14.38.33130/bin/Hostx64/x64";
    host.program(folder + "/cl.exe", "").env("PATH", folder);
    const HostCompiler found = look(host).project.host_compiler;
    CHECK(found.family == "msvc");
    CHECK(found.version->text == "19.38.33130");
}

TEST_CASE(
    "folders that only later programs have on PATH are listed: CUDA was installed after this prompt was "
    "opened") {
    FakeHost host(System::windows);
    host.folder("C:/CUDA/v13.0/bin")
        .folder("C:/tools")
        .folder("D:/cuda/v12.9/bin")
        .env("PATH", "d:\\CUDA\\v12.9\\bin");
    host.later_env("Path", "C:\\CUDA\\v13.0\\bin\\;C:\\tools;D:\\CUDA\\v12.9\\bin;C:\\CUDA\\gone\\bin");
    CHECK(look(host).later_path == std::vector<std::string>{"C:/CUDA/v13.0/bin"});
    CHECK(look(FakeHost(System::windows)).later_path.empty());
}

TEST_CASE("architectures come from the request, else from the variable that this kind of build reads") {
    FakeHost host;
    host.env("TORCH_CUDA_ARCH_LIST", "8.0 9.0+PTX").env("CUDAARCHS", "75");
    Scenario scenario = look(host);
    CHECK(scenario.project.archs_text.origin.variable == "TORCH_CUDA_ARCH_LIST");
    REQUIRE(scenario.project.archs.targets.size() == 2);
    CHECK_FALSE(scenario.project.archs.targets[0].ptx);
    CHECK(scenario.project.archs.targets[1].ptx);
    Request request;
    request.from_cmake = true;
    CHECK(look(host, request).project.archs_text->c_str() == std::string("75"));
    request.archs = "80-virtual";
    request.archs_origin = "CMAKE_CUDA_ARCHITECTURES";
    scenario = look(host, request);
    REQUIRE(scenario.project.archs.targets.size() == 1);
    CHECK_FALSE(scenario.project.archs.targets[0].real);
    request.archs = "OFF";
    CHECK_FALSE(look(host, request).project.archs_text);
    CHECK_FALSE(look(FakeHost{}).project.archs_text);
}

TEST_CASE("an architecture list that cannot be read is a usage error") {
    Request request;
    request.archs = "80;banana";
    const Scenario scenario = look(FakeHost{}, request);
    REQUIRE(scenario.unreadable.size() == 1);
    CHECK(scenario.unreadable[0].subject == "--arch");
    CHECK(scenario.unreadable[0].named_by_user);
    CHECK(scenario.unreadable[0].why.find("banana") != std::string::npos);
}
