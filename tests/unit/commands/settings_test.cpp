// SPDX-License-Identifier: Apache-2.0
#include "commands/settings.hpp"

#include <doctest/doctest.h>

using namespace ptxguard;

namespace {

std::string trouble_of(const char* name, std::vector<std::string> values) {
    Settings settings;
    auto trouble =
        set_option(settings, name, std::move(values), Origin::from_option(std::string("--") + name));
    return trouble ? trouble->text() : "";
}

std::string trouble_in(const char* toml, const char* path = "ptxguard.toml") {
    Settings settings;
    auto trouble = add_configuration(settings, path, toml);
    return trouble ? trouble->text() : "";
}

}  // namespace

TEST_CASE("lists are split at commas, paths are not") {
    Settings settings;
    set_option(settings, "gpu", {"H100,sm_80", "RTX 3090"}, Origin::from_option("--gpu"));
    set_option(settings, "toolkit", {"/opt/a,b"}, Origin::from_option("--toolkit"));
    CHECK(settings.all("gpu") == std::vector<std::string>{"H100", "sm_80", "RTX 3090"});
    CHECK(settings.one("toolkit") == "/opt/a,b");
}

TEST_CASE("a wrong value is reported with its option and a suggestion") {
    CHECK(trouble_of("probe", {"of"}) ==
          "--probe cannot be 'of', did you mean 'off'?: choose one of auto, off, full");
    CHECK(trouble_of("driver", {"new"}) ==
          "--driver needs a version such as 550.54.14 or a branch such as 550, not 'new'");
    CHECK(trouble_of("arch", {"80;ninety"}) ==
          "--arch: architecture 'ninety' is unknown: in the list '80;ninety'");
    CHECK(trouble_of("ignore", {"CC202"}) ==
          "--ignore needs CODE=reason, not 'CC202': the reason is repeated in the report");
    CHECK(trouble_of("ignore", {"CC202= "}).find("needs CODE=reason") != std::string::npos);
    CHECK(trouble_of("require", {"driver", "cpu"}).find("--require cannot be 'cpu', did you mean 'gpu'?") ==
          0);
    CHECK(trouble_of("ignore", {" =x"}).find("needs CODE=reason") != std::string::npos);
    CHECK(trouble_of("env", {"=x"}).find("needs NAME=VALUE") != std::string::npos);
    CHECK(trouble_of("toolkit", {""}) == "--toolkit is empty");
    CHECK(trouble_of("env", {"X"}) == "--env needs NAME=VALUE, not 'X'");
    CHECK(trouble_of("driver", {"535", "550.54.14"}).empty());
    CHECK(trouble_of("arch", {"80-real;90a"}).empty());
}

TEST_CASE("the command line overrides variables, and those override the configuration") {
    Settings settings;
    set_option(settings, "driver", {"535"}, Origin::from_option("--driver"));
    add_environment(settings,
                    {{"PTXGUARD_DRIVER", "550"}, {"PTXGUARD_PROBE", "off"}, {"PTXGUARD_NO_CACHE", "0"}});
    REQUIRE(!add_configuration(settings, "ptxguard.toml", "driver = '570'\nprobe = 'full'\narch = '80'\n"));
    CHECK(settings.one("driver") == "535");
    CHECK(settings.one("probe") == "off");
    CHECK(settings.one("arch") == "80");
    CHECK(settings.origin("arch").for_people() == "ptxguard.toml:3");
    CHECK(!settings.has("no-cache"));
}

TEST_CASE("a wrong variable is reported by its name") {
    Settings settings;
    auto trouble = add_environment(settings, {{"PTXGUARD_FAIL_ON", "errors"}});
    REQUIRE(trouble);
    CHECK(trouble->text().find("PTXGUARD_FAIL_ON cannot be 'errors', did you mean 'error'?") == 0);
}

TEST_CASE("the configuration accepts lists and a table of suppressions") {
    Settings settings;
    REQUIRE(!add_configuration(
        settings, "pyproject.toml",
        "[tool.other]\nx = 1\n[tool.ptxguard]\ndriver = ['535', '550']\ncxx-standard = 17\n"
        "no-cache = true\n[tool.ptxguard.ignore]\nCC202 = 'only CI'\n"));
    CHECK(settings.all("driver").size() == 2);
    CHECK(settings.one("cxx-standard") == "17");
    CHECK(settings.has("no-cache"));
    auto suppressions = suppressions_from(settings);
    REQUIRE(suppressions.size() == 1);
    CHECK(suppressions[0].code == "CC202");
    CHECK(suppressions[0].reason == "only CI");
}

TEST_CASE("per-file suppressions use .gitignore patterns, relative to the configuration's folder") {
    Settings settings;
    REQUIRE(!add_configuration(settings, "/r/p/ptxguard.toml",
                               "[per-file-ignores.'tests/']\nCC603 = 'why: x=1'\n"
                               "[per-file-ignores.'*.sh']\nCC205 = 'b'\nCC603 = 'c'\n"));
    const auto all = suppressions_from(settings);
    REQUIRE(all.size() == 3);
    CHECK(all[0].reason == "why: x=1");
    CHECK(all[0].origin.line == 2);
    CHECK(all[2].origin.line == 5);
    const auto covers = [&](std::size_t i, const char* file) { return all[i].covers({file, 1, 1}); };
    CHECK(covers(0, "/r/p/tests/a/Dockerfile"));
    CHECK(covers(0, "/r/p/x/tests/Dockerfile"));
    CHECK_FALSE(covers(0, "/r/p/tests"));
    CHECK_FALSE(covers(0, "/r/tests/Dockerfile"));
    CHECK(covers(1, "/r/p/a/b.sh"));
    CHECK_FALSE(covers(1, "/r/b.sh"));
    CHECK(trouble_of("per-file-ignores", {"tests/"}).find("needs PATTERN:CODE=reason") != std::string::npos);
    CHECK(trouble_of("per-file-ignores", {"a:b:CC603=x"}).empty());
    CHECK(trouble_in("per-file-ignores = ['CC603']\n").find("that is not a table of tables") !=
          std::string::npos);
    CHECK(trouble_in("[per-file-ignores]\nCC603 = 'x'\n").find("not a table of tables") != std::string::npos);
}

TEST_CASE("rules are selected by prefixes of their codes") {
    CHECK(trouble_of("select", {"CC6,CC9"}) ==
          "--select names an unknown rule 'CC9': a code such as CC603, or the start of codes such as CC6");
    CHECK_FALSE(trouble_of("select", {"C"}).empty());
    Settings settings;
    REQUIRE(!add_configuration(settings, "ptxguard.toml",
                               "select = ['cc60']\nignore = {CC603='a', CC205='b'}\n"));
    const auto codes = selected_codes(settings);
    CHECK(codes.count("CC603") == 1);
    CHECK(codes.count("CC002") == 1);
    CHECK(codes.count("CC205") == 0);
    CHECK(suppressions_from(settings).size() == 2);  // of what is not selected too: every rule runs
}

TEST_CASE("suppressions in a configuration that was found apply only to lint") {
    for (const bool lint : {true, false}) {
        Settings settings;
        settings.judges_recipes = lint;
        REQUIRE(!add_configuration(settings, "ptxguard.toml",
                                   "select = ['CC603']\ntoolkit = 'x'\n[ignore]\nCC603 = 'a'\n"
                                   "[per-file-ignores.'*.sh']\nCC205 = 'b'\n",
                                   true));
        CHECK(settings.has("per-file-ignores") == lint);
        CHECK(settings.has("select") == lint);
        CHECK_FALSE(settings.has("toolkit"));
        CHECK(settings.configuration.not_taken.size() == (lint ? 1 : 4));
    }
}

TEST_CASE("a wrong configuration is reported with its line") {
    CHECK(trouble_in("arch = '80'\ndrivr = '5'\n") ==
          "ptxguard.toml:2 has the unknown key 'drivr', did you mean 'driver'?");
    CHECK(trouble_in("arch = \n").find("ptxguard.toml:1 is not valid TOML") == 0);
    CHECK(trouble_in("no-cache = 'yes'\n") == "ptxguard.toml:1 needs true or false for 'no-cache'");
    CHECK(trouble_in("[arch]\nx = 1\n").find("has a value for 'arch'") != std::string::npos);
    CHECK(trouble_in("probe = 'on'\n").find("ptxguard.toml:1: probe cannot be 'on'") == 0);
    CHECK(trouble_in("[project]\nname = 'x'\n", "pyproject.toml").empty());
}

TEST_CASE("a configuration that was only found cannot select programs or libraries or lower a gate") {
    const char* text =
        "toolkit = 'tk'\npython = 'site'\ndriver-libs = 'drv'\nhost-exe = 'x'\nroot = 'r'\nos = 'linux'\n"
        "facts = 'f'\nfail-on = 'never'\nprobe = 'off'\narch = '80'\n[ignore]\nCC202 = 'x'\n";
    Settings found;
    REQUIRE(!add_configuration(found, "/p/ptxguard.toml", text, true));
    CHECK(found.configuration.path == "/p/ptxguard.toml");
    CHECK(found.configuration.not_taken.size() == 10);
    CHECK(found.options.size() == 1);
    CHECK(found.one("arch") == "80");
    Settings stricter;
    REQUIRE(!add_configuration(stricter, "/p/ptxguard.toml", "fail-on = 'warning'\nprobe = 'full'\n", true));
    CHECK(stricter.one("fail-on") == "warning");
    CHECK(stricter.one("probe") == "full");
    Settings named;
    REQUIRE(!add_configuration(named, "/p/ptxguard.toml", text));
    CHECK(named.options.size() == 11);
    CHECK(named.configuration.not_taken.empty());
    Settings lint;
    lint.judges_recipes = true;
    REQUIRE(!add_configuration(lint, "/p/ptxguard.toml", text, true));
    CHECK(lint.configuration.not_taken.size() == 9);
    CHECK(lint.all("ignore") == std::vector<std::string>{"CC202=x"});
}

TEST_CASE("relative paths start at the configuration's folder") {
    Settings settings;
    REQUIRE(
        !add_configuration(settings, "/no/such/p/ptxguard.toml",
                           "toolkit = ['./tk', '/opt/cuda']\npython = 'python3.11'\nframework = 'torch'\n"));
    CHECK(settings.all("toolkit") == std::vector<std::string>{"/no/such/p/./tk", "/opt/cuda"});
    CHECK(settings.one("python") == "python3.11");
    CHECK(settings.one("framework") == "torch");
    Settings here;
    REQUIRE(!add_configuration(here, "ptxguard.toml", "toolkit = 'tk'\npython = '../site'\n"));
    CHECK(here.one("toolkit") == "tk");
    CHECK(here.one("python") == "../site");
}

TEST_CASE("an absurdly nested configuration is refused before it is parsed") {
    const auto dotted = [](int parts) {
        std::string key = "a";
        for (int i = 1; i < parts; ++i) key += ".a";
        return key;
    };
    const auto trouble = [](const std::string& text) { return trouble_in(text.c_str(), "pyproject.toml"); };
    CHECK(trouble(dotted(30) + " = 1\n").empty());
    const std::string deep = dotted(40);
    for (const std::string& text :
         {"x = 1\n" + deep + " = 1\n", "x = 1\n[" + deep + "]\n", "x = '''\n'\n'''\n" + deep + " = 1\n",
          "x = 1\nt = { x = \"\"\"b\"\"\"\", " + deep + " = '' }\n",
          "x = \"\\\"\" # \"\n" + deep + " = 1\n"}) {
        CAPTURE(text);
        CHECK(trouble(text).find("exceeds the limit of 32 parts of a key") != std::string::npos);
    }
    CHECK(trouble("x = '" + deep + "'\ny = \"\"\"\n" + deep + "\n\"\"\" # " + deep + "\n").empty());
    CHECK(trouble("x = 1\xc2\xbd\n").find("pyproject.toml:1 is not valid TOML") == 0);
    CHECK(trouble("x = '\xc2\xbd' # \xc2\xbd\n").empty());
    CHECK(
        trouble(std::string(300000, '\n')) ==
        "pyproject.toml exceeds the limit of 262144 bytes of a configuration file: ptxguard did not read it");
    CHECK_FALSE(trouble("x = " + std::string(100000, '[') + "\n").empty());
}
