// The real program gets names, texts and settings of a stranger, in every command and every format. Nothing
// that it prints may command a terminal or a CI system, and its JSON has the true names.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <filesystem>

#include "../formats/build_archive.hpp"
#include "../formats/build_elf.hpp"
#include "../host/temporary.hpp"
#include "../model/harm.hpp"
#include "host/host.hpp"
#include "model/json.hpp"
#include "model/text.hpp"
#include "report/report.hpp"

using namespace ptxguard;

namespace {

// Also a valid name of a file. "add-mask" is the sign that it was printed at all.
const std::string k_hostile =
    "::add-mask::a\n::add-mask::b\r::add-mask::c\n##vso[task.prependpath]x "
    "##[error]x##teamcity[x]\x1b]52;c;QUJD\a"
    "\x7f\xc2\x9b"
    "2J\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8e\xd8\x9c\xe2\x80\xa8<b>`|@me";
const std::string k_sign = "add-mask";

// For JSON, YAML and TOML.
std::string quoted_name(const std::string& text) { return to_text(Json(text), -1); }

bool has_text(const Json& json, const std::string& text) {
    if (json.is_string()) return json.as_string().find(text) != npos;
    for (const Json& item : json.items())
        if (has_text(item, text)) return true;
    for (const auto& [name, value] : json.members())
        if (name.find(text) != npos || has_text(value, text)) return true;
    return false;
}

struct Stranger {
    Temporary folder;
    std::unique_ptr<Host> host = real_host();

    Command command(std::vector<std::string> arguments) const {
        Command made;
        const std::string self = own::executable_path();
        made.argv = {self.substr(0, self.rfind('/')) + "/ptxguard"};
        made.argv.insert(made.argv.end(), arguments.begin(), arguments.end());
        made.directory = folder.path;
        made.output_cap = 16u << 20;
        made.environment["COLUMNS"] = "10000";  // a line that is broken at blanks is no other text
        return made;
    }

    void program(const std::string& name, const std::string& text) const {
        const std::string path = folder.write(name, text);
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    }

    ProcessResult harmless(const Command& asked, const ProcessResult& result, bool annotates) const {
        const std::string said = joined(asked.argv, " ");
        CHECK_MESSAGE(result.state == ProcessResult::State::exited, said);
        CHECK_MESSAGE(harm::of(result.out, annotates) == "", said);
        CHECK_MESSAGE(harm::of(result.err, false) == "", said);
        return result;
    }

    // Each command prints the stranger's text.
    void harmless(const std::vector<Command>& commands) const {
        const std::vector<ProcessResult> results = host->run_all(commands);
        for (std::size_t i = 0; i < commands.size(); ++i) {
            const ProcessResult result = harmless(commands[i], results[i], false);
            CHECK_MESSAGE((result.out + result.err).find(k_sign) != npos, joined(commands[i].argv, " "));
        }
    }

    // The same in every format.
    void harmless_in_all_formats(const Command& asked) const {
        std::vector<Command> commands;
        for (const ReportFormat& format : report_formats()) {
            commands.push_back(asked);
            commands.back().argv.insert(commands.back().argv.end(), {"--format", format.name});
        }
        const std::vector<ProcessResult> results = host->run_all(commands);
        for (std::size_t i = 0; i < commands.size(); ++i) {
            const std::string format = report_formats()[i].name;
            const ProcessResult result = harmless(commands[i], results[i], format == "github");
            if (format == "text") CHECK(result.out.find(k_sign) != npos);
            if (format == "markdown") CHECK(result.out.find("<b>") == npos);
            if (format == "markdown") CHECK(result.out.find("@me") == npos);
            if (format != "json" && format != "sarif" && format != "gitlab") continue;
            const Result<Json> json = parse_json(result.out, format);
            REQUIRE_MESSAGE(bool(json), result.out);
            if (format == "json") CHECK_MESSAGE(has_text(*json, k_hostile), result.out);
        }
    }
};

const std::string k_ptx = ".version 8.0\n.target sm_80\n.address_size 64\n";
const std::string k_pin = "torch==2.5.1+cu125\n";  // was never released; +cu124 was

}  // namespace

TEST_CASE("a stranger's recipes command nothing") {
    const Stranger stranger;
    stranger.folder.write(k_hostile + "/requirements.txt", "# " + k_hostile + "\n" + k_pin);
    stranger.folder.write("a-requirements.txt", "::add-mask::x\n\t::add-mask::x\n##vso[x]\xff\n" + k_pin);
    stranger.folder.write(".github/workflows/ci.yml", "on: push\njobs:\n  " + quoted_name(k_hostile) +
                                                          ":\n    runs-on: ubuntu-latest\n    steps:\n"
                                                          "    - name: " +
                                                          quoted_name(k_hostile) +
                                                          "\n      run: pip install " + k_pin);
    stranger.folder.write(k_hostile + "/pyproject.toml", "[project\n");
    stranger.folder.write(
        "Dockerfile", "FROM nvidia/cuda:" + std::string("12.4.1-runtime\x1b[2J AS ##vso[x\nRUN nvcc x.cu\n"));
    stranger.folder.write("environment.yml",
                          "name: " + quoted_name(k_hostile) + "\ndependencies:\n  - pip:\n    - " + k_pin);
    stranger.harmless_in_all_formats(stranger.command({"lint", "--isolated"}));
}

TEST_CASE("a diff of a stranger's files commands nothing, and says that it cannot be applied") {
    const Stranger stranger;
    const std::string plain =
        "\t# gr\xc3\xb6\xc3\x9f"
        "e\r\n" +
        k_pin;
    stranger.folder.write("requirements.txt", plain);
    const auto diff = [&](std::vector<std::string> more) {
        std::vector<std::string> arguments{"lint", "--isolated", "--diff"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Command asked = stranger.command(arguments);
        return stranger.host->run(asked);
    };
    const ProcessResult honest = diff({});
    CHECK(honest.err == "");
    CHECK(honest.out ==
          "--- requirements.txt\n+++ requirements.txt\n@@ -1,2 +1,2 @@\n \t# gr\xc3\xb6\xc3\x9f"
          "e\r\n"
          "-torch==2.5.1+cu125\n+torch==2.5.1+cu124\n");

    stranger.folder.write(k_hostile + "/requirements.txt",
                          "::add-mask::x\n##vso[x]\x1b[2J\n" + k_pin + "a\r::x\f\n");
    const ProcessResult hostile = diff({});
    CHECK(hostile.out.find(honest.out) != npos);
    std::string checked = hostile.out;
    checked.erase(checked.find(honest.out), honest.out.size());
    CHECK(harm::of(checked, false) == "");
    CHECK(harm::of(hostile.err, false) == "");
    CHECK(checked.find("\n \\x3a:add-mask::x\n \\x23#vso[x]\\x1b[2J\n") != npos);
    CHECK(hostile.err.find("cannot be applied") != npos);
    CHECK(std::count(hostile.err.begin(), hostile.err.end(), '\n') == 1);

    const ProcessResult in_file = diff({"-o", "d.txt"});
    CHECK(in_file.out == "");
    CHECK(*stranger.host->read(stranger.folder / "d.txt") == hostile.out);
}

TEST_CASE("a stranger's binaries and archives command nothing") {
    const Stranger stranger;
    built::Elf library;
    library.soname = "libx" + k_hostile;
    library.needed = {"libcublas.so.12", "libcublas" + k_hostile + ".so.12"};
    library.runpath = "/" + k_hostile;
    const std::string code = library.build();
    const std::vector<std::string> files{
        stranger.folder.write(k_hostile + ".ptx", k_ptx), stranger.folder.write("libx.so", code),
        stranger.folder.write("x.a", "!<arch>\n" + built::member("##vso[x]\x1b[2J/", k_ptx)),
        stranger.folder.write("x.tar",
                              built::tar(built::tar_member(k_hostile.substr(0, 90) + ".ptx", k_ptx))),
        stranger.folder.write("x.whl", built::zip({{k_hostile + ".ptx", k_ptx},
                                                   {k_hostile + ".so", code},
                                                   {"x-1.dist-info/METADATA", "Name: x" + k_hostile}}))};
    const auto of_files = [&](const char* name, std::vector<std::string> options) {
        std::vector<std::string> arguments{name};
        arguments.insert(arguments.end(), files.begin(), files.end());
        arguments.insert(arguments.end(), options.begin(), options.end());
        return stranger.command(arguments);
    };
    stranger.harmless_in_all_formats(of_files("inspect", {"--isolated", "--gpu", "8.6"}));
    stranger.harmless_in_all_formats(of_files("inspect", {"--isolated", "--entries"}));
    stranger.harmless_in_all_formats(of_files("deps", {"--isolated", "--all"}));
    stranger.harmless_in_all_formats(stranger.command(
        {"matrix", "--isolated", "--no-cache", "--only-named", files[0], "--driver", "570"}));
}

TEST_CASE("a stranger's toolkit, variables and folders command nothing") {
    const Stranger stranger;
    const std::string toolkit = k_hostile + "/cuda", words = "cat <<'END'\n" + k_hostile + "\nEND\n";
    stranger.program(toolkit + "/bin/nvcc",
                     "#!/bin/sh\necho 'Cuda compilation tools, release 13.0, V13.0.88'\n" + words);
    stranger.program(toolkit + "/bin/ptxas", "#!/bin/sh\n(" + words + ") >&2\nexit 1\n");
    stranger.folder.write(toolkit + "/version.json",
                          "{" + quoted_name(k_hostile) + ":{\"version\":" + quoted_name(k_hostile) + "}}");
    Command check = stranger.command({"check", "--isolated", "--no-cache", "--verbose", "--toolkit",
                                      stranger.folder / toolkit, "--build", "--arch", "80"});
    for (const char* name : {"CUDA_HOME", "LD_LIBRARY_PATH", "NVCC_APPEND_FLAGS"})
        check.environment[name] = "/" + k_hostile;
    stranger.harmless_in_all_formats(check);
    stranger.folder.write("root/" + k_hostile + "/x", "");
    stranger.harmless_in_all_formats(
        stranger.command({"check", "--isolated", "--root", "root", "--verbose", "--env",
                          "CUDA_HOME=/" + k_hostile, "--env", "PATH=/" + k_hostile}));
}

TEST_CASE("wrong usage quotes a stranger's words harmlessly") {
    const Stranger stranger;
    std::vector<Command> commands;
    const auto add = [&](std::vector<std::string> arguments) {
        commands.push_back(stranger.command(std::move(arguments)));
    };
    add({k_hostile});
    add({"help", k_hostile});
    for (const char* name :
         {"check", "plan", "matrix", "inspect", "deps", "lint", "explain", "facts", "generate"}) {
        add({name, k_hostile});
        add({name, "--" + k_hostile});
    }
    for (const char* option :
         {"--driver", "--gpu", "--arch", "--toolkit", "--framework", "--python", "--root", "--facts",
          "--config", "--ignore", "--format", "--fail-on", "--require", "--env", "--driver-libs", "--os"})
        add({"check", "--isolated", option, k_hostile});
    add({"lint", "--isolated", "-o", k_hostile + "/x"});
    add({"facts", "--verify", k_hostile});
    stranger.folder.write("f/" + k_hostile + ".json", "{");
    stranger.folder.write("g/cuda/13.0.json", "{\"release\": " + quoted_name(k_hostile) + "}");
    for (const char* tables : {"f", "g"})
        for (const char* format : {"text", "json"}) add({"facts", "--facts", tables, "--format", format});
    add({"--list-gpus", "--facts", "f"});
    add({"lint", "--facts", "f"});
    add({"check", "--isolated"});
    commands.back().environment["PTXGUARD_DRIVER"] = k_hostile;
    int number = 0;
    for (const std::string& text :
         {quoted_name(k_hostile) + " = 1\n", "driver = " + quoted_name(k_hostile) + "\n",
          "fail-on = [" + quoted_name(k_hostile) + "]\n"}) {
        const std::string file = stranger.folder.write("c" + std::to_string(number++) + ".toml", text);
        add({"lint", "--config", file});
    }
    stranger.harmless(commands);
    stranger.folder.write(k_hostile + "/ptxguard.toml", "toolkit = [" + quoted_name("/" + k_hostile) + "]\n");
    commands = {stranger.command({"lint"})};
    commands.back().directory = stranger.folder / k_hostile;
    stranger.harmless(commands);
}
