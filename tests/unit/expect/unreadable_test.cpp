// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "world.hpp"

using namespace ptxguard;

namespace {

const std::string k_version = k_site + "/torch/version.py";

FakeHost with(const std::string& version_file) {
    FakeHost host;
    host.file(k_site + "/torch/__init__.py").file(k_version, version_file);
    return host;
}

void check_unknown(const FakeHost& host, const std::string& why) {
    const Expectation torch = only(host);
    CAPTURE(torch.trouble);
    CHECK(torch.trouble.find(why) != std::string::npos);
    CHECK_FALSE(torch.version);
    CHECK_FALSE(torch.cuda);
    CHECK_FALSE(torch.cpu_only);
    CHECK_FALSE(torch.archs);
}

}  // namespace

TEST_CASE("CRLF, a byte order mark and bytes of another encoding do not matter") {
    CHECK(only(with("\xEF\xBB\xBF__version__ = '2.0.0'\r\ncuda = '11.7'\r\n")).cuda->text == "11.7");
    CHECK(only(with("# caf\xE9\n__version__ = '2.0.0'\ncuda = '11.7'\n")).cuda->text == "11.7");
    check_unknown(with("__version__ = '2.0.0\xE9'\xff\ncuda = '11.7'\n"), "__version__");
}

TEST_CASE("binary, UTF-16, empty and giant files are distinguished") {
    check_unknown(with(std::string("\177ELF\0\0\0cuda = '11.7'", 20)), "binary");
    check_unknown(with(std::string("\xFF\xFE"
                                   "c\0",
                                   4)),
                  "UTF-16");
    check_unknown(with(""), "has no __version__");
    check_unknown(with("__version__ = '2.0.0'\ncuda = '11.7'\n" + std::string(2u << 20, '#')),
                  "is larger than 1048576 bytes");
}

TEST_CASE("folders, broken links and files without permission instead of version.py") {
    FakeHost folder, dangling, loop, locked, missing;
    for (FakeHost* host : {&folder, &dangling, &loop, &locked, &missing})
        host->file(k_site + "/torch/__init__.py");
    check_unknown(folder.folder(k_version), "is a folder");
    check_unknown(dangling.link(k_version, "/gone"), "dangling symlink");
    check_unknown(loop.link(k_version, k_version), "symlink loop");
    check_unknown(locked.unreadable(k_version), "cannot be read");
    check_unknown(missing, "does not exist");
}

TEST_CASE("unreadable companions leave only their own values unknown") {
    FakeHost host = with("__version__ = '77.0'\ncuda = '11.7'\n");
    host.folder(k_site + "/torch/share/cmake/Torch/TorchConfig.cmake")
        .file(k_site + "/torch-77.0.dist-info/METADATA", std::string("\0\0", 2));
    host.file(k_site + "/torch/lib/libc10.so", "not a library")
        .unreadable(k_site + "/torch/lib/libtorch_python.so");
    const Expectation torch = only(host);
    CHECK(torch.trouble.empty());
    CHECK(torch.cuda->text == "11.7");
    CHECK_FALSE(torch.cxx_abi);
    CHECK_FALSE(torch.archs);
    CHECK_FALSE(torch.cudnn);
}

TEST_CASE("spaces, quotes, semicolons and letters beyond ASCII in every path") {
    const std::string site = "/s p/\xC3\xA4;'\"$x/site-packages";
    FakeHost host;
    add_torch(host, site, "2.5.1+cu124", "'12.4'");
    CHECK(look(host, python(site)).expectations[0].path == site + "/torch");
}

TEST_CASE("a TensorFlow whose build_info.py is a folder is unknown, not absent") {
    FakeHost host;
    host.folder(k_site + "/tensorflow/python/platform/build_info.py");
    const Expectation tf = only(host);
    CHECK(tf.trouble.find("is a folder") != std::string::npos);
    CHECK_FALSE(tf.cuda);
}
