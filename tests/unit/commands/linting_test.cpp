// Files that cannot be read, or that would take too much time or memory: each is reported in a message, and
// the recipe next to it is still checked.
// SPDX-License-Identifier: Apache-2.0
#include "commands/linting.hpp"

#include <doctest/doctest.h>

#include <ctime>
#include <set>

#include "host/fake_host.hpp"
#include "judge/judge.hpp"

using namespace ptxguard;

namespace {

const char* const k_good = "torch==2.0.0+cu121\n";  // CC603

std::string times(std::size_t count, const std::string& text) {
    std::string all;
    all.reserve(count * text.size());
    for (std::size_t i = 0; i < count; ++i) all += text;
    return all;
}

std::vector<Finding> lint(const Host& host, const std::string& path) {
    static const Facts facts = Facts::embedded();
    const recipes::AllowedFiles files(host, {path});
    Linting linting(files);
    linting.read(path);
    return judge(linting.scenarios(facts), facts, {}).findings;
}

std::string unreadable(const std::vector<Finding>& findings) {
    for (const Finding& finding : findings)
        if (finding.code == "CC002") return finding.message;
    return "";
}

// The longest text that a report prints of a finding.
std::size_t longest(const std::vector<Finding>& findings) {
    std::size_t most = 0;
    for (const Finding& finding : findings) most = std::max(most, finding.message.size());
    return most;
}

// Presets that each inherit all earlier ones.
std::string presets(int count) {
    std::string text = "{\"configurePresets\": [", names;
    for (int i = 0; i < count; ++i) {
        const std::string name = "\"p" + std::to_string(i) + "\"";
        text += (i ? "," : "") + ("{\"name\": " + name) + ", \"inherits\": [" + names + "]}";
        names += (i ? "," : "") + name;
    }
    return text + "]}";
}

std::string bomb() {
    std::string text = "a: &a [x,x,x,x,x,x,x,x,x]\n";
    for (char c = 'b'; c < 'l'; ++c) {
        const std::string before(1, static_cast<char>(c - 1));
        text += std::string(1, c) + ": &" + c + " [" + times(8, "*" + before + ",") + "*" + before + "]\n";
    }
    return text;
}

class CountingHost : public FakeHost {
public:
    mutable std::set<std::string> opened;
    Result<std::string> read(const std::string& path, std::size_t limit) const override {
        opened.insert(path);
        return FakeHost::read(path, limit);
    }
};

}  // namespace

TEST_CASE("bad files are reported, and the others are still checked") {
    const struct {
        const char* name;
        std::string text;
        const char* why;  // the message after the path; "" = the text is read
    } rows[] = {
        {"requirements.txt", std::string(100 << 20, '\n'), " is larger than 16777216 bytes"},
        {"Dockerfile", "RUN " + std::string(10 << 20, 'x') + "\n",
         " exceeds the limit of 1048576 bytes of a line: ptxguard did not read the file"},
        {"Dockerfile", std::string("FROM a\0b\n", 9), " is binary: it holds NUL bytes"},
        {"Makefile", times(5000, "\x01\x02 "), " is binary: it is full of control characters"},
        {"setup.py", std::string("\xFF\xFEt\0", 4), " is UTF-16, not UTF-8"},
        {"environment.yml", bomb(), ":6 exceeds the limit of 500000 values of a YAML file with its aliases"},
        {"pyproject.toml", "a = " + std::string(100000, '['), ":1 exceeds the limit of 30 values in values"},
        {"devcontainer.json", times(100000, "{\"a\":"), ":1 exceeds the limit of 64 values in values"},
        {"requirements.txt", times(200000, "a\n"),
         ":10001 exceeds the limit of 10000 requirements of one installation"},
        {"requirements.txt", "-r ../p/requirements.txt\n", ":1 names a file that names this one again"},
        {"CMakePresets.json", presets(60), ""},
        {"Dockerfile", "ARG A=${B}\nARG B=${A}\nFROM a:${A}\n" + times(60, "ARG C=$C$C$C$C\n") + "RUN x $C\n",
         ""},
        {"CMakeLists.txt", "set(A x)\n" + times(60, "set(A ${A}${A}${A}${A})\n") + "set(CUDAARCHS ${A})\n",
         ""},
        {"Makefile", "A=$(B)\nB=$(A)\nC:=x\n" + times(60, "C:=$(C)$(C)$(C)\n") + "all:\n\tnvcc $(A) $(C)\n",
         ""},
        {"a.sh", "f(){ f; f; }\nf\nfor i in {1..100000000}; do nvcc $i; done\n", ""},
        {"a.sh", times(4000, "pip install torch==2.5.1\n"), ""},
        {"requirements.txt", times(400000, "x ") + "\n", ""},
    };
    for (const auto& row : rows) {
        const std::string path = std::string("/p/") + row.name;
        CAPTURE(path);
        CAPTURE(row.why);
        FakeHost host;
        host.file(path, row.text).file("/p/z/requirements.txt", k_good);
        const std::clock_t start = std::clock();  // processor time: other programs do not count
        const std::vector<Finding> findings = lint(host, "/p");
        CHECK(std::clock() - start < 20 * CLOCKS_PER_SEC);  // minutes without the limits
        const std::string messages = unreadable(findings);
        if (*row.why) CHECK_MESSAGE(messages.find(path + row.why) != std::string::npos, messages);
        CHECK(longest(findings) < 2000);
        CHECK(std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
            return finding.code == "CC603" && finding.location->file == "/p/z/requirements.txt";
        }));
    }
}

TEST_CASE("a path that has a recipe's name but is not a file is reported") {
    FakeHost host;
    host.link("/p/Dockerfile", "/p/Dockerfile").link("/p/requirements.txt", "/p/nothing");
    host.link("/p/loop", "/p").file("/p/a.sh", "x\n").unreadable("/p/a.sh").link("/p/notes", "/p/nothing");
    std::string messages;
    for (const Finding& finding : lint(host, "/p")) messages += finding.message + "\n";
    CHECK(messages ==
          "/p/Dockerfile is a symlink loop\n/p/a.sh cannot be read\n"
          "/p/requirements.txt is a dangling symlink\n");
}

TEST_CASE("a rule that is not selected still explains its conflict") {
    static const Facts facts = Facts::embedded();
    FakeHost host;
    host.file("/p/requirements.txt", "torch==2.3.1\ntorchaudio==2.4.0\n");
    const recipes::AllowedFiles files(host, {"/p"});
    Linting linting(files);
    linting.read("/p");
    JudgeOptions options;
    options.select = {"CC603", "CC005"};
    CHECK(judge(linting.scenarios(facts), facts, options).findings.empty());
    options.select = {"CC612"};
    CHECK(judge(linting.scenarios(facts), facts, options).findings.size() == 1);
}

TEST_CASE("what is excluded is not read, by name or by its folder") {
    FakeHost host;
    host.file("/p/requirements.txt", k_good).file("/p/old/requirements.txt", k_good);
    const recipes::AllowedFiles files(host, {"/p"});
    Linting linting(files, {}, [](const std::string& path, bool is_folder) {
        return path == (is_folder ? "/p/old" : "/p/requirements.txt");
    });
    linting.read("/p");
    linting.read("/p/requirements.txt");
    CHECK(linting.files().empty());
}

TEST_CASE("a requirements file is checked once: with the command that installs it, if known") {
    const std::string install =
        "FROM python:3.11\nCOPY requirements.txt .\nRUN pip install -r requirements.txt";
    const std::string index = " --extra-index-url https://download.pytorch.org/whl/cu124\n";
    const auto codes = [](const std::string& dockerfile, const std::string& requirements) {
        FakeHost host;
        host.file("/p/requirements.txt", requirements);
        if (!dockerfile.empty()) host.file("/p/Dockerfile", dockerfile);
        std::string all;
        for (const Finding& finding : lint(host, "/p")) all += finding.code + " ";
        return all;
    };
    CHECK(codes("", "torch==2.5.1+cu124\n") == "CC614 ");
    CHECK(codes(install + index, "torch==2.5.1+cu124\n") == "");
    CHECK(codes(install + "\n", "torch==2.5.1+cu124\n") == "CC614 ");
    CHECK(codes(install + index, "torch==2.5.1+cu125\n") == "CC603 ");
    CHECK(codes("FROM python:3.11\n", "torch==2.5.1+cu124\n") == "CC614 ");
    // Also in a branch that may not be taken: nothing else installs it.
    const std::string perhaps =
        "FROM python:3.11\nCOPY . .\nRUN if test -e x; then pip install -r requirements.txt" +
        index.substr(0, index.size() - 1) + "; fi\n";
    CHECK(codes(perhaps, "torch==2.5.1+cu124\n") == "");
}

TEST_CASE("a file referenced from a sibling folder has one name and one finding") {
    FakeHost host;
    host.file("/p/requirements.txt", "torch==2.5.1+cu124\n");
    host.file("/p/Dockerfile", "FROM python:3.11\nCOPY . .\nRUN pip install -r requirements.txt\n");
    host.file("/p/docker/compose.yml", "services: {a: {build: {context: ..}}}\n");
    const auto findings = lint(host, "/p");
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].found.at(0).origin.path == "/p/requirements.txt");
}

TEST_CASE("the context of docker/Dockerfile is a folder above, however the repository is named") {
    FakeHost host;
    host.file("/p/requirements.txt", "torch==2.5.1+cu124\n");
    host.file("/p/docker/Dockerfile", "FROM python:3.11\nCOPY . .\nRUN pip install -r requirements.txt\n");
    // Not of this repository: nobody has named it.
    host.file("/more.txt", "torch==2.5.1+cu124\n");
    host.file("/p/docker/other.Dockerfile", "FROM python:3.11\nCOPY . .\nRUN pip install -r more.txt\n");
    std::vector<std::string> codes;
    for (const Finding& finding : lint(host, "/p")) codes.push_back(finding.code);
    CHECK(codes == std::vector<std::string>{"CC614", "CC002"});
}

TEST_CASE("of 200,000 files only recipes and .gitignore are opened") {
    CountingHost host;
    for (int folder = 0; folder < 8; ++folder) {
        const std::string at = "/p/" + std::to_string(folder) + "/";
        for (int i = 0; i < 25000; ++i) host.file(at + "f" + std::to_string(i) + ".txt", "x");
        host.file(at + "Dockerfile", "FROM a\n");
    }
    host.file("/p/.gitignore", "/3/\n");
    lint(host, "/p");
    CHECK(host.opened.size() == 8);
    CHECK(host.opened.count("/p/3/Dockerfile") == 0);
}

TEST_CASE("files of the machine that a recipe runs on are none of this one") {
    FakeHost host;
    host.file("/p/.git/HEAD", "").file("/proc/cpuinfo", "cpu\n").file("/etc/a.txt", "torch\n");
    const auto said = [&](const std::string& commands) {
        host.file("/p/a.sh", commands);
        return unreadable(lint(host, "/p"));
    };
    CHECK(said("cat /proc/cpuinfo | grep model\n. /etc/os-release\n").empty());
    CHECK(said("pip install -r /etc/a.txt\n").find("'/etc/a.txt' is outside") != std::string::npos);
    CHECK(said("pip install -r /opt/a.txt\n").find("was not found") != std::string::npos);
    host.file("/b.txt", "torch\n");
    CHECK(said("cat ../b.txt | xargs pip install\n").find("is outside") != std::string::npos);
}
