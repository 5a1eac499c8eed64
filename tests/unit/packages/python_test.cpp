// SPDX-License-Identifier: Apache-2.0
#include "packages/python.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "host/fake_host.hpp"

using namespace ptxguard;

namespace {

const std::string k_site = "/env/lib/python3.11/site-packages";

bool holds(const PythonEnvironment& choice, const std::string& folder) {
    return std::any_of(choice.places.begin(), choice.places.end(),
                       [&](const SitePlace& place) { return place.folder == folder; });
}

Scenario look(const FakeHost& host, const Request& request = {}) {
    Scenario scenario;
    find_python(host, request, scenario);
    return scenario;
}

PythonEnvironment found(const FakeHost& host, const std::string& named = {}) {
    Request request;
    request.python = named;
    return look(host, request).python;
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

TEST_CASE("--python, VIRTUAL_ENV, CONDA_PREFIX, PATH: the first one with a Python is used and reported") {
    FakeHost host = three_pythons();
    CHECK(found(host).because == "PATH");
    CHECK(found(host).path == "/usr/bin/python3");
    host.env("CONDA_PREFIX", "/conda");
    CHECK(found(host).because == "CONDA_PREFIX");
    CHECK(holds(found(host), "/conda/lib/python3.12/site-packages"));
    host.env("VIRTUAL_ENV", "/env");
    CHECK(found(host).because == "VIRTUAL_ENV");
    CHECK(found(host, "/conda/bin/python").because == "--python");
    CHECK(holds(found(host, "/conda/bin/python"), "/conda/lib/python3.12/site-packages"));
}

TEST_CASE("a variable without a Python is skipped and reported") {
    FakeHost host = three_pythons();
    host.env("VIRTUAL_ENV", "/gone").env("CONDA_PREFIX", "");
    const Scenario scenario = look(host);
    CHECK(scenario.python.because == "PATH (VIRTUAL_ENV is not a Python: /gone)");
    CHECK(scenario.unreadable.empty());
}

TEST_CASE("an environment with only ptxguard is skipped: uvx, pipx and pre-commit create them") {
    FakeHost host = three_pythons();
    host.env("VIRTUAL_ENV", "/env").env("PATH", "/env/bin:/usr/bin");
    for (const char* package : {"ptxguard-0.1.0", "ptxguard_pre_commit-0.1.0", "pip-25.0", "setuptools-80.1"})
        host.folder(k_site + "/" + package + ".dist-info");
    CHECK(found(host).because == "PATH (VIRTUAL_ENV contains only ptxguard: /env)");
    CHECK(found(host).path == "/usr/bin/python3");
    CHECK(found(host, "/env").prefix == "/env");
    host.folder(k_site + "/torch-2.5.1.dist-info");
    CHECK(found(host).because == "VIRTUAL_ENV");
}

TEST_CASE("the first folder of PATH that has a Python decides, whatever its name") {
    FakeHost host;
    for (const char* prefix : {"/a", "/b"})
        host.program(std::string(prefix) + "/bin/python3.12", "")
            .folder(std::string(prefix) + "/lib/python3.12/site-packages");
    host.link("/a/bin/python", "python3.12")
        .link("/b/bin/python3", "python3.12")
        .env("PATH", "rel:/a/bin:/b/bin");
    CHECK(found(host).path == "/a/bin/python");
    CHECK(found(host).prefix == "/a");
    CHECK(found(host).version == "3.12");
    host.program("/a/bin/python2.7", "").link("/a/bin/python", "python2.7");
    CHECK(found(host).path == "/b/bin/python3");
    host.env("PATH", "/a/bin");
    CHECK(found(host).version == "2.7");
}

TEST_CASE("a project's .venv is used in the project, before conda's base environment and PATH") {
    FakeHost host = three_pythons();
    const auto because = [&] { return found(host).because; };
    host.file("/src/pyproject.toml")
        .file("/src/.venv/pyvenv.cfg", "home = /usr/bin\nversion_info = 3.11.2\n")
        .folder("/src/.venv/lib/python3.11/site-packages");
    CHECK(because() == "PATH");
    host.env("PWD", "/src/member/tests").file("/src/member/pyproject.toml").folder("/src/member/tests");
    CHECK(because() == "beside /src/pyproject.toml");
    CHECK(holds(found(host), "/src/.venv/lib/python3.11/site-packages"));
    host.env("CONDA_PREFIX", "/conda").env("CONDA_DEFAULT_ENV", "base");
    CHECK(because() == "beside /src/pyproject.toml");
    host.env("CONDA_DEFAULT_ENV", "mine");
    CHECK(because() == "CONDA_PREFIX");
    host.env("CONDA_PREFIX", "");
    Request isolated;
    isolated.isolated = true;
    CHECK(look(host, isolated).python.because == "PATH");
    host.folder("/src/member/.git");  // a folder above in another repository does not count
    CHECK(because() == "PATH");
}

TEST_CASE("a relative --python starts at the working folder") {
    FakeHost host = three_pythons();
    host.env("PWD", "/src").link("/src/env", "/env").folder("/src/flat/torch");
    CHECK(found(host, "env").path == "/src/env");
    CHECK(holds(found(host, "./env/bin/python3"), "/src/env/lib/python3.11/site-packages"));
    CHECK(found(host, "flat").places.front().folder == "/src/flat");
    CHECK(found(host, "../env").path == "/env");
    host.env("VIRTUAL_ENV", "env");
    CHECK(found(host).path == "/src/env");
}

TEST_CASE("a free-threaded environment has folders of its own, which are not in pyvenv.cfg") {
    FakeHost host;
    host.file("/env/pyvenv.cfg", "home = /base/bin\ninclude-system-site-packages = true\nversion = 3.13.1\n")
        .folder("/env/lib/python3.13t/site-packages")
        .folder("/base/lib/python3.13t/site-packages")
        .env("VIRTUAL_ENV", "/env");
    CHECK(found(host).version == "3.13t");
    CHECK(holds(found(host), "/env/lib/python3.13t/site-packages"));
    CHECK(holds(found(host), "/base/lib/python3.13t/site-packages"));
    FakeHost windows(System::windows);
    windows.file("C:/Python313/python.exe")
        .file("C:/Python313/python313t.dll")
        .file("C:/Python313/python3t.dll");
    windows.env("PATH", "C:\\Python313");
    CHECK(found(windows).version == "3.13t");
}

TEST_CASE("a virtual environment sees the system's packages only if configured") {
    FakeHost host = three_pythons();
    auto choice = found(host, "/env/bin/python3");
    CHECK(holds(choice, k_site));
    CHECK_FALSE(holds(choice, "/usr/lib/python3/dist-packages"));
    host.file("/env/pyvenv.cfg",
              "home = /usr/bin\r\ninclude-system-site-packages = TRUE\r\nversion_info = 3.11.2.final.0\r\n");
    choice = found(host, "/env");
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
    auto choice = found(host);
    REQUIRE(choice.places.size() > 2);
    CHECK(choice.places[0].folder == "/extra");
    CHECK(choice.places[1].folder == "/home/u/.local/lib/python3.11/site-packages");
    host.env("PYTHONNOUSERSITE", "1");
    CHECK_FALSE(holds(found(host), "/home/u/.local/lib/python3.11/site-packages"));
    host.env("EBPYTHONPREFIXES", "/apps/none:/apps/PyTorch")
        .folder("/apps/PyTorch/lib/python3.11/site-packages");
    CHECK(holds(found(host), "/apps/PyTorch/lib/python3.11/site-packages"));
}

TEST_CASE("what pip installs for a system's Python is in site-packages, on Debian in dist-packages") {
    FakeHost host;
    host.program("/usr/bin/python3.9", "")
        .link("/usr/bin/python3", "python3.9")
        .folder("/usr/lib64/python3.9");
    host.folder("/usr/local/lib64/python3.9/site-packages").folder("/usr/local/lib/python3.9/site-packages");
    host.env("PATH", "/usr/bin");
    CHECK(holds(found(host), "/usr/local/lib64/python3.9/site-packages"));
    CHECK(holds(found(host), "/usr/local/lib/python3.9/site-packages"));
    host.folder("/usr/lib/python3/dist-packages");
    CHECK_FALSE(holds(found(host), "/usr/local/lib/python3.9/site-packages"));
}

TEST_CASE("a pyenv shim resolves to the version of PYENV_VERSION, .python-version or the version file") {
    FakeHost host;
    host.program("/p/shims/python3", "").file("/p/version", "3.10.4\n").env("PATH", "/p/shims");
    for (const char* version : {"3.10.4", "3.11.1", "3.11.9"}) {
        const std::string root = std::string("/p/versions/") + version,
                          minor = std::string(version).substr(0, 4);
        host.program(root + "/bin/python" + minor, "")
            .link(root + "/bin/python3", "python" + minor)
            .folder(root + "/lib/python" + minor + "/site-packages");
    }
    CHECK(holds(found(host), "/p/versions/3.10.4/lib/python3.10/site-packages"));
    host.env("PWD", "/src/a/b").folder("/src/a/b").file("/src/.python-version", "# mine\n3.11\n");
    CHECK(holds(found(host), "/p/versions/3.11.9/lib/python3.11/site-packages"));
    host.env("PYENV_VERSION", "3.11.1:3.10.4");
    CHECK(holds(found(host), "/p/versions/3.11.1/lib/python3.11/site-packages"));
    host.env("PYENV_VERSION", "2.7");
    CHECK_FALSE(holds(found(host), "/p/versions/3.10.4/lib/python3.10/site-packages"));
}

TEST_CASE("a wrapper script is followed to the Python that it starts") {
    FakeHost host = three_pythons();
    host.file("/opt/bin/python3", "#!/bin/sh\nexport A=1\nexec \"/conda/bin/python3\" \"$@\"\n");
    CHECK(holds(found(host, "/opt/bin/python3"), "/conda/lib/python3.12/site-packages"));
    host.file("/opt/bin/python4", "#!/bin/sh\nexec /opt/bin/python4 \"$@\"\n");
    CHECK(found(host, "/opt/bin/python4").path == "/opt/bin/python4");
}

TEST_CASE("a folder is read as site-packages, an environment's folder as that environment") {
    FakeHost host = three_pythons();
    host.folder("/flat/torch").folder("/empty");
    CHECK(found(host, "/flat").places.front().folder == "/flat");
    CHECK(found(host, "/empty").places.front().folder == "/empty");
    CHECK(found(host, "/conda").places.front().folder == "/conda/lib/python3.12/site-packages");
}

TEST_CASE("--python may be a program's name; anything else is an error that names the option") {
    FakeHost host = three_pythons();
    CHECK(found(host, "python3.11").path == "/usr/bin/python3.11");
    for (const char* bad : {"/nowhere/python", "python9", "/loop"}) {
        host.link("/loop", "/loop");
        Request request;
        request.python = bad;
        const Scenario scenario = look(host, request);
        CHECK(scenario.python.path.empty());
        REQUIRE(scenario.unreadable.size() == 1);
        CHECK(scenario.unreadable[0].named_by_user);
        CHECK(scenario.unreadable[0].subject == std::string("--python ") + bad);
    }
}

TEST_CASE("without any Python nothing is found and nothing is reported") {
    FakeHost host;
    const Scenario scenario = look(host);
    CHECK(scenario.python.path.empty());
    CHECK(scenario.python.places.empty());
    CHECK(scenario.unreadable.empty());
}

TEST_CASE("Windows: Lib/site-packages, Scripts, the store's links are not a Python") {
    FakeHost host(System::windows);
    host.file("C:/Users/u/AppData/Local/Microsoft/WindowsApps/python.exe")
        .file("C:/Python311/python.exe")
        .file("C:/Python311/python311.dll");
    host.folder("C:/Python311/Lib/site-packages")
        .env("APPDATA", "C:\\Users\\u\\AppData\\Roaming")
        .folder("C:/Users/u/AppData/Roaming/Python/Python311/site-packages");
    host.env("Path", "C:\\Users\\u\\AppData\\Local\\Microsoft\\WindowsApps;\"C:\\Python311\"");
    auto choice = found(host);
    CHECK(choice.because == "PATH");
    CHECK(holds(choice, "C:/Python311/Lib/site-packages"));
    CHECK(holds(choice, "C:/Users/u/AppData/Roaming/Python/Python311/site-packages"));
    host.file("C:/env/pyvenv.cfg", "home = C:\\Python311\ninclude-system-site-packages = false\n")
        .file("C:/env/Scripts/python.exe")
        .folder("C:/env/Lib/site-packages");
    choice = found(host, "C:\\env\\Scripts\\python.exe");
    CHECK(holds(choice, "C:/env/Lib/site-packages"));
    CHECK_FALSE(holds(choice, "C:/Python311/Lib/site-packages"));
}
