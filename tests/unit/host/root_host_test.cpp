// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "host/host.hpp"
#include "host/names.hpp"
#include "temporary.hpp"

using namespace ptxguard;

TEST_CASE("a tree is read with the paths of its own system") {
    const Temporary folder;
    folder.write("usr/local/cuda/version.json", "{}");
    const auto host = root_host(folder.path, System::linux_, {{"CUDA_HOME", "/usr/local/cuda"}});
    CHECK(*host->read("/usr/local/cuda/version.json") == "{}");
    CHECK(*host->read_range("/usr/local/cuda/version.json", 1, 5) == "}");
    CHECK(host->status("/usr/local/cuda").type == FileType::directory);
    CHECK(host->status("/usr/local/cudda").type == FileType::missing);
    CHECK(host->status("/").type == FileType::directory);
    CHECK(*host->real_path("/usr/./local/../local/cuda/") == "/usr/local/cuda");
    CHECK(*host->real_path("/") == "/");
    CHECK(host->list("/usr/local")->begin()->name == "cuda");
    CHECK(*host->env("CUDA_HOME") == "/usr/local/cuda");
    CHECK_FALSE(host->env("PATH"));
    CHECK(host->environment().size() == 1);
    CHECK(*real_host()->read(host->native_path("/usr/local/cuda/version.json")) == "{}");
    CHECK(ends_with(host->native_path("/usr/none/x"), "/usr/none/x"));
}

TEST_CASE("dots never leave a tree") {
    const Temporary folder;
    folder.write("outside.txt", "secret");
    folder.write("root/inside.txt", "1");
    const auto host = root_host(folder / "root", System::linux_, {});
    CHECK(host->status("/../outside.txt").type == FileType::missing);
    CHECK(*host->read("/../../inside.txt") == "1");
    CHECK(*host->read("/none/../inside.txt").trouble().cause.c_str() == 'N');
    const auto windows = root_host(folder / "root", System::windows, {});
    CHECK(windows->status("C:\\..\\outside.txt").type == FileType::missing);
    CHECK(*windows->read("C:\\..\\inside.txt") == "1");
}

TEST_CASE("nothing in a tree is run") {
    const Temporary folder;
    const auto host = root_host(folder.path, System::linux_, {});
    CHECK(host->foreign());
    CHECK(host->run({{"/bin/true"}}).state == ProcessResult::State::not_started);
    CHECK(host->run({{"/bin/true"}}).trouble == "is not run: the tree under --root is only read");
    CHECK(host->run_all({{{"/bin/true"}}, {{"/bin/true"}}}, 0).size() == 2);
}

TEST_CASE("trouble under a root names the path of the judged system") {
    const Temporary folder;
    folder.write("etc/x", "12");
    const auto host = root_host(folder.path, System::linux_, {});
    CHECK(host->read("/etc/none").trouble().text() == "/etc/none cannot be read: No such file or directory");
    CHECK(host->read("/etc").trouble().text() == "/etc cannot be read: Is a directory");
    CHECK(host->read("/etc/x", 1).trouble().text() == "/etc/x is larger than 1 bytes");
    CHECK(host->list("/etc/x").trouble().text() == "/etc/x cannot be listed: Not a directory");
}

TEST_CASE("drive C of a Windows tree is the tree or its folder C") {
    const Temporary folder;
    folder.write("CUDA/a.txt", "plain");
    folder.write("c/Python/b.txt", "in c");
    folder.write("D/data/d.txt", "in D");
    const auto host = root_host(folder.path, System::windows, {});
    CHECK(*host->read("C:\\CUDA\\a.txt") == "plain");
    CHECK(*host->read("c:/cuda/A.TXT") == "plain");
    CHECK(*host->read("C:/python/B.txt") == "in c");
    CHECK(*host->read("d:\\DATA\\d.txt") == "in D");
    CHECK(host->status("D:/CUDA/a.txt").type == FileType::missing);
    CHECK(*host->real_path("c:\\cuda\\A.TXT") == "C:/CUDA/a.txt");
    CHECK(*host->real_path("c:\\python") == "C:/Python");
    folder.write("x/y.txt", "short name");
    CHECK(*host->real_path("C:\\x\\y.txt") == "C:/x/y.txt");
    CHECK(*host->real_path("d:\\data") == "D:/data");
    CHECK(host->list("C:/")->begin()->name == "Python");
    CHECK(host->status("C:/none").type == FileType::missing);
    CHECK_FALSE(host->status("C:/CUDA/a.txt").executable);
    folder.write("CUDA/nvcc.exe", "");
    CHECK(host->status("C:/CUDA/NVCC.EXE").executable);
}

TEST_CASE("variables of a Windows tree are case-insensitive and expanded") {
    const auto host = root_host(".", System::windows,
                                {{"Path", "%CUDA_PATH%\\bin;%none%;100%"},
                                 {"cuda_path", "%Base%\\v13.0"},
                                 {"BASE", "C:\\CUDA"},
                                 {"loop", "%LOOP%"},
                                 {"z", "%a%%a%%a%%a%%a%%a%%a%%a%%a%%a%%a%%a%%a%%a%%a%%a%"},
                                 {"a", "%b%%b%%b%%b%%b%%b%%b%%b%%b%%b%%b%%b%%b%%b%%b%%b%"},
                                 {"b", "%c%%c%%c%%c%%c%%c%%c%%c%%c%%c%%c%%c%%c%%c%%c%%c%"},
                                 {"c", "%d%%d%%d%%d%%d%%d%%d%%d%%d%%d%%d%%d%%d%%d%%d%%d%"},
                                 {"d", "%e%%e%%e%%e%%e%%e%%e%%e%%e%%e%%e%%e%%e%%e%%e%%e%"},
                                 {"e", "%f%%f%%f%%f%%f%%f%%f%%f%%f%%f%%f%%f%%f%%f%%f%%f%"},
                                 {"f", ""}});
    CHECK(*host->env("PATH") == "C:\\CUDA\\v13.0\\bin;%none%;100%");
    CHECK(*host->env("CUDA_PATH") == "C:\\CUDA\\v13.0");
    CHECK(*host->env("LOOP") == "%LOOP%");
    CHECK(host->env("Z")->substr(0, 6) == "%a%%a%");  // names 15 to the power of 6: stays as it is
    const auto linux_host = root_host(".", System::linux_, {{"PATH", "%HOME%"}, {"HOME", "/"}});
    CHECK(*linux_host->env("PATH") == "%HOME%");
    CHECK_FALSE(linux_host->env("path"));
}

TEST_CASE("a variable is replaced regardless of case only on Windows") {
    std::map<std::string, std::string> environment{{"Path", "1"}};
    set_variable(environment, "PATH", "2", System::windows);
    CHECK(environment == std::map<std::string, std::string>{{"Path", "2"}});
    set_variable(environment, "PATH", "3", System::linux_);
    CHECK(environment.size() == 2);
    set_variable(environment, "path", std::nullopt, System::linux_);
    CHECK(environment.size() == 2);
    set_variable(environment, "Path", std::nullopt, System::linux_);
    CHECK(environment.size() == 1);
}

TEST_CASE("an option names a path inside the tree on this machine or a path of the judged system") {
    const Temporary folder;
    folder.write("usr/bin/python3", "");
    folder.write("C/x/y", "");
    const auto host = root_host(folder.path, System::linux_, {});
    CHECK(judged_path(*host, folder / "usr/bin/python3") == "/usr/bin/python3");
    CHECK(judged_path(*host, folder / "usr/none/") == "/usr/none");
    CHECK(judged_path(*host, folder.path) == "/");
    CHECK(judged_path(*host, "/usr/bin") == "/usr/bin");
    CHECK(judged_path(*host, "relative/none") == "relative/none");
    CHECK(judged_path(*host, "") == "");
    CHECK(judged_path(*host, folder / "opt/link/bin") == "/opt/link/bin");  // may dangle on this machine
    const auto windows = root_host(folder.path, System::windows, {});
    CHECK(judged_path(*windows, folder / "usr/bin") == "C:/usr/bin");
    CHECK(judged_path(*windows, folder / "C/x/y") == "C:/x/y");
    CHECK(judged_path(*windows, "C:\\x") == "C:\\x");
    CHECK(judged_path(*real_host(), folder.path) == folder.path);
}
