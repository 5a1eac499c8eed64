// SPDX-License-Identifier: Apache-2.0
#include "expect/python.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "world.hpp"

using namespace ptxguard;

namespace {

const std::string k_site = "/env/lib/python3.11/site-packages";

bool holds(const PythonChoice& choice, const std::string& folder) {
    return std::any_of(choice.places.begin(), choice.places.end(),
                       [&](const SitePlace& place) { return place.folder == folder; });
}

// A virtual environment in /env, a conda environment in /conda, a system Python in /usr.
FakeHost three_pythons() {
    FakeHost host;
    host.file("/env/pyvenv.cfg", "home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.2\n")
        .folder(k_site);
    host.program("/usr/bin/python3.11", "")
        .link("/usr/bin/python3", "python3.11")
        .link("/env/bin/python3", "/usr/bin/python3");
    host.folder("/usr/lib/python3/dist-packages")
        .folder("/usr/local/lib/python3.11/dist-packages")
        .folder("/usr/lib/python3.11");
    host.program("/conda/bin/python3.12", "")
        .link("/conda/bin/python3", "python3.12")
        .link("/conda/bin/python", "python3.12");
    host.folder("/conda/lib/python3.12/site-packages").env("PATH", "/none:/usr/bin");
    return host;
}

}  // namespace

TEST_CASE("--python, VIRTUAL_ENV, CONDA_PREFIX, PATH: the first that leads to a Python, and it is said") {
    FakeHost host = three_pythons();
    CHECK(choose_python(host, {}).because == "PATH");
    CHECK(choose_python(host, {}).python == "/usr/bin/python3");
    host.env("CONDA_PREFIX", "/conda");
    CHECK(choose_python(host, {}).because == "CONDA_PREFIX");
    CHECK(holds(choose_python(host, {}), "/conda/lib/python3.12/site-packages"));
    host.env("VIRTUAL_ENV", "/env");
    CHECK(choose_python(host, {}).because == "VIRTUAL_ENV");
    CHECK(choose_python(host, python("/conda/bin/python")).because == "--python");
    CHECK(holds(choose_python(host, python("/conda/bin/python")), "/conda/lib/python3.12/site-packages"));
}

TEST_CASE("a variable that names no Python is passed over and named") {
    FakeHost host = three_pythons();
    host.env("VIRTUAL_ENV", "/gone").env("CONDA_PREFIX", "");
    const auto choice = choose_python(host, {});
    CHECK(choice.because == "PATH (VIRTUAL_ENV names no Python: /gone)");
    CHECK_FALSE(choice.trouble);
}

TEST_CASE("a virtual environment sees the system's packages only where it says so") {
    FakeHost host = three_pythons();
    auto choice = choose_python(host, python("/env/bin/python3"));
    CHECK(holds(choice, k_site));
    CHECK_FALSE(holds(choice, "/usr/lib/python3/dist-packages"));
    host.file("/env/pyvenv.cfg",
              "home = /usr/bin\r\ninclude-system-site-packages = TRUE\r\nversion_info = 3.11.2.final.0\r\n");
    choice = choose_python(host, python("/env"));
    CHECK(holds(choice, k_site));
    CHECK(holds(choice, "/usr/lib/python3/dist-packages"));
    CHECK(holds(choice, "/usr/local/lib/python3.11/dist-packages"));
}

TEST_CASE("the user's site and PYTHONPATH count unless switched off") {
    FakeHost host = three_pythons();
    host.env("HOME", "/home/u")
        .folder("/home/u/.local/lib/python3.11/site-packages")
        .env("PYTHONPATH", "/extra::relative")
        .folder("/extra");
    auto choice = choose_python(host, {});
    REQUIRE(choice.places.size() > 2);
    CHECK(choice.places[0].folder == "/extra");
    CHECK(choice.places[1].folder == "/home/u/.local/lib/python3.11/site-packages");
    host.env("PYTHONNOUSERSITE", "1");
    CHECK_FALSE(holds(choose_python(host, {}), "/home/u/.local/lib/python3.11/site-packages"));
    host.env("EBPYTHONPREFIXES", "/apps/none:/apps/PyTorch")
        .folder("/apps/PyTorch/lib/python3.11/site-packages");
    CHECK(holds(choose_python(host, {}), "/apps/PyTorch/lib/python3.11/site-packages"));
}

TEST_CASE("what pip installs for a system's Python lies in site-packages, in Debian's in dist-packages") {
    FakeHost host;
    host.program("/usr/bin/python3.9", "")
        .link("/usr/bin/python3", "python3.9")
        .folder("/usr/lib64/python3.9");
    host.folder("/usr/local/lib64/python3.9/site-packages").folder("/usr/local/lib/python3.9/site-packages");
    host.env("PATH", "/usr/bin");
    CHECK(holds(choose_python(host, {}), "/usr/local/lib64/python3.9/site-packages"));
    CHECK(holds(choose_python(host, {}), "/usr/local/lib/python3.9/site-packages"));
    host.folder("/usr/lib/python3/dist-packages");
    CHECK_FALSE(holds(choose_python(host, {}), "/usr/local/lib/python3.9/site-packages"));
}

TEST_CASE("a pyenv shim leads to the version that PYENV_VERSION, .python-version or the version file names") {
    FakeHost host;
    host.program("/p/shims/python3", "").file("/p/version", "3.10.4\n").env("PATH", "/p/shims");
    for (const char* version : {"3.10.4", "3.11.1", "3.11.9"}) {
        const std::string root = std::string("/p/versions/") + version,
                          minor = std::string(version).substr(0, 4);
        host.program(root + "/bin/python" + minor, "")
            .link(root + "/bin/python3", "python" + minor)
            .folder(root + "/lib/python" + minor + "/site-packages");
    }
    CHECK(holds(choose_python(host, {}), "/p/versions/3.10.4/lib/python3.10/site-packages"));
    host.env("PWD", "/src/a/b").file("/src/.python-version", "# mine\n3.11\n");
    CHECK(holds(choose_python(host, {}), "/p/versions/3.11.9/lib/python3.11/site-packages"));
    host.env("PYENV_VERSION", "3.11.1:3.10.4");
    CHECK(holds(choose_python(host, {}), "/p/versions/3.11.1/lib/python3.11/site-packages"));
    host.env("PYENV_VERSION", "2.7");
    CHECK_FALSE(holds(choose_python(host, {}), "/p/versions/3.10.4/lib/python3.10/site-packages"));
}

TEST_CASE("a wrapper script is followed to the Python that it starts") {
    FakeHost host = three_pythons();
    host.file("/opt/bin/python3", "#!/bin/sh\nexport A=1\nexec \"/conda/bin/python3\" \"$@\"\n");
    CHECK(holds(choose_python(host, python("/opt/bin/python3")), "/conda/lib/python3.12/site-packages"));
    host.file("/opt/bin/python4", "#!/bin/sh\nexec /opt/bin/python4 \"$@\"\n");
    CHECK_FALSE(choose_python(host, python("/opt/bin/python4")).trouble);
}

TEST_CASE("a folder is read as site-packages, an environment's folder as that environment") {
    FakeHost host = three_pythons();
    host.folder("/flat/torch").folder("/empty");
    CHECK(choose_python(host, python("/flat")).places.front().folder == "/flat");
    CHECK(choose_python(host, python("/empty")).places.front().folder == "/empty");
    CHECK(choose_python(host, python("/conda")).places.front().folder ==
          "/conda/lib/python3.12/site-packages");
}

TEST_CASE("--python may be a program's name; what is nothing at all is trouble that names the option") {
    FakeHost host = three_pythons();
    CHECK(choose_python(host, python("python3.11")).python == "/usr/bin/python3.11");
    for (const char* bad : {"/nowhere/python", "python9", "/loop"}) {
        host.link("/loop", "/loop");
        const auto choice = choose_python(host, python(bad));
        REQUIRE(choice.trouble);
        CHECK(choice.trouble->named_by_user);
        CHECK(choice.trouble->subject == std::string("--python ") + bad);
    }
}

TEST_CASE("without any Python nothing is found and nothing is wrong") {
    FakeHost host;
    const auto choice = choose_python(host, {});
    CHECK(choice.python.empty());
    CHECK(choice.places.empty());
    CHECK_FALSE(choice.trouble);
}

TEST_CASE("Windows: Lib/site-packages, Scripts, the store's links are no Python") {
    FakeHost host(System::windows);
    host.file("C:/Users/u/AppData/Local/Microsoft/WindowsApps/python.exe")
        .file("C:/Python311/python.exe")
        .file("C:/Python311/python311.dll");
    host.folder("C:/Python311/Lib/site-packages")
        .env("APPDATA", "C:\\Users\\u\\AppData\\Roaming")
        .folder("C:/Users/u/AppData/Roaming/Python/Python311/site-packages");
    host.env("Path", "C:\\Users\\u\\AppData\\Local\\Microsoft\\WindowsApps;\"C:\\Python311\"");
    auto choice = choose_python(host, {});
    CHECK(choice.because == "PATH");
    CHECK(holds(choice, "C:/Python311/Lib/site-packages"));
    CHECK(holds(choice, "C:/Users/u/AppData/Roaming/Python/Python311/site-packages"));
    host.file("C:/env/pyvenv.cfg", "home = C:\\Python311\ninclude-system-site-packages = false\n")
        .file("C:/env/Scripts/python.exe")
        .folder("C:/env/Lib/site-packages");
    choice = choose_python(host, python("C:\\env\\Scripts\\python.exe"));
    CHECK(holds(choice, "C:/env/Lib/site-packages"));
    CHECK_FALSE(holds(choice, "C:/Python311/Lib/site-packages"));
}
