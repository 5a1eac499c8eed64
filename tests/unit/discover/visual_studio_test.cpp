// Visual Studio's compilers, of which an ordinary prompt has none on PATH.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "discover/host_compiler.hpp"
#include "worlds.hpp"

using namespace ptxguard;
using namespace worlds;

namespace {

const std::string k_programs = "C:/Program Files/Microsoft Visual Studio/";

FakeHost& add_toolset(FakeHost& host, const std::string& installation, const std::string& toolset) {
    return host.file(installation + "/VC/Tools/MSVC/" + toolset + "/bin/Hostx64/x64/cl.exe", "MZ");
}

// CUDA 13.0 on PATH, whose own header limits the compilers, and no cl.exe on PATH.
FakeHost windows_with_nvcc() {
    FakeHost host(System::windows);
    host.program("C:/CUDA/v13.0/bin/nvcc.exe", banner("13.0.88"));
    host.file(
        "C:/CUDA/v13.0/include/crt/host_config.h",
        "#if _MSC_VER < 1920 || _MSC_VER >= 1950\n#error -- unsupported Microsoft Visual Studio version!\n");
    return host.env("PATH", "C:/CUDA/v13.0/bin");
}

}  // namespace

TEST_CASE("the compilers of every release, edition and toolset are found, newest first") {
    FakeHost host(System::windows);
    add_toolset(host, k_programs + "2022/BuildTools", "14.38.33130");
    add_toolset(host, k_programs + "2022/BuildTools", "14.44.35207");
    add_toolset(host, "C:/Program Files (x86)/Microsoft Visual Studio/2019/Community", "14.29.30133");
    add_toolset(host, "D:/VS/18", "14.50.35717");
    host.file("C:/ProgramData/Microsoft/VisualStudio/Packages/_Instances/1a2b/state.json",
              "\xEF\xBB\xBF{\"installationPath\":\"D:\\\\VS\\\\18\"}");
    host.file("C:/ProgramData/Microsoft/VisualStudio/Packages/_Instances/bad/state.json", "{");
    const auto found = installed_msvc(host);
    REQUIRE(found.size() == 4);
    CHECK(found[0] == "D:/VS/18/VC/Tools/MSVC/14.50.35717/bin/Hostx64/x64/cl.exe");
    CHECK(msvc_version(found[1])->text == "19.44.35207");
    CHECK(msvc_version(found[3])->text == "19.29.30133");
    CHECK(installed_msvc(FakeHost(System::windows)).empty());
}

TEST_CASE("the toolkit's own header decides which installed compilers fit") {
    FakeHost host = windows_with_nvcc();
    add_toolset(host, k_programs + "2022/BuildTools", "14.44.35207");
    add_toolset(host, k_programs + "18/Community", "14.50.35717");
    const HostCompiler compiler = look(host).project.host_compiler;
    CHECK(compiler.trouble == "was not found");
    CHECK(compiler.chosen_by.variable == "PATH");
    REQUIRE(compiler.fitting.size() == 1);
    CHECK(msvc_version(compiler.fitting[0])->text == "19.44.35207");
    REQUIRE(compiler.unfit.size() == 1);
    CHECK(msvc_version(compiler.unfit[0])->text == "19.50.35717");
}

TEST_CASE("without that header the table of the release decides") {
    FakeHost host = windows_with_nvcc();
    host.file("C:/CUDA/v13.0/include/crt/host_config.h", "");
    add_toolset(host, k_programs + "2022/BuildTools", "14.44.35207");
    CHECK(look_with_tables(host).project.host_compiler.fitting.size() == 1);
}
