// The code of a file and the compilers of a toolkit, mocked by functions: whose results count.
// SPDX-License-Identifier: Apache-2.0
#include "probe/compile_texts.hpp"
#include "matrix_machine.hpp"
#include "probe/ptx_source.hpp"

using namespace machine;

namespace {

constexpr const char* k_tileiras = "/opt/cuda/bin/tileiras";

std::vector<CompiledCode> compiled(const FakeHost& host, const Consumer& consumer,
                                   std::vector<CodeToCompile> texts, int seconds = 60) {
    Scenario scenario;
    Consumer one = consumer;
    one.id = "consumer1";
    const Asker ask(host, {});
    return TextCompiler(ask, Facts::embedded(), scenario, {one}, std::chrono::seconds(seconds))
        .compile(texts);
}

CodeToCompile code(EntryKind kind, const std::string& text, PtxVersion version = {13, 2}) {
    return {{100, 0}, {{}, version, text, "", false, kind}};
}

Consumer tileiras() {
    Consumer consumer;
    consumer.kind = ConsumerKind::tileiras;
    consumer.path = k_tileiras;
    consumer.version = {*parse_version("13.2.78"), {}};
    return consumer;
}

// Compiles what `accepts` returns true for.
FakeHost with_tileiras(const std::function<bool(const std::string&)>& accepts) {
    FakeHost host;
    host.program(k_tileiras, [accepts](const Command& command) {
        CHECK(command.environment.at("CUDA_HOME") == "/opt/cuda");
        const auto input = read_own_file(join_path(command.directory, command.argv[2]));
        REQUIRE(input);
        if (!accepts(*input)) return exited(5, "error: failed to compile Tile IR program\n");
        write(command, command.argv.back(), "cubin");
        return exited(0);
    });
    return host;
}

CompiledCode by_tileiras(const std::function<bool(const std::string&)>& accepts) {
    const FakeHost host = with_tileiras(accepts);
    const auto answers =
        compiled(host, tileiras(), {code(EntryKind::tileir, "good"), code(EntryKind::tileir, "bad")});
    REQUIRE(answers.size() == 1);
    CHECK(answers[0].compiler == "tileiras 13.2.78");
    CHECK(answers[0].code == EntryKind::tileir);
    CHECK(answers[0].texts == 2);
    return answers[0];
}

}  // namespace

TEST_CASE("tileiras compiles Tile IR with the tools of its own toolkit") {
    const CompiledCode answer =
        by_tileiras([](const std::string& input) { return input == "good" || input == oldest_tile_ir(); });
    CHECK(answer.outcome == Outcome::refused);
    CHECK(answer.accepted == 1);
    CHECK(answer.refused == 1);
    CHECK(answer.ir == PtxVersion{13, 2});
    CHECK(answer.words == "error: failed to compile Tile IR program");
}

TEST_CASE("a compiler that accepts an absurd version, or not the oldest, is ignored") {
    const CompiledCode all = by_tileiras([](const std::string&) { return true; });
    CHECK(all.outcome == Outcome::unknown);
    CHECK(all.accepted == 0);
    CHECK(all.words == "it does not refuse code of version 255.255");
    const CompiledCode none = by_tileiras([](const std::string&) { return false; });
    CHECK(none.outcome == Outcome::unknown);
    CHECK(none.refused == 0);
    CHECK(none.words ==
          "it does not compile the oldest code of that kind: error: failed to compile Tile IR program");
}

TEST_CASE("code that there was no time to compile stays open, with the reason") {
    const FakeHost host = with_tileiras([](const std::string& input) { return input == oldest_tile_ir(); });
    const auto answers = compiled(host, tileiras(), {code(EntryKind::tileir, "bad")}, 0);
    REQUIRE(answers.size() == 1);
    CHECK(answers[0].outcome == Outcome::unknown);
    CHECK(answers[0].texts == 1);
    CHECK(answers[0].words == "there was no time to compile the others");
    CHECK(compiled(host, tileiras(), {code(EntryKind::tileir, "bad")}).at(0).words ==
          "error: failed to compile Tile IR program");
}

TEST_CASE("LTO-IR: nvJitLink refuses it as input, and leaves a part of a program undecided") {
    const std::string head("\xed\x43\x4e\x7f", 4);
    FakeHost host;
    host.program(own::executable_path(), [&](const Command& command) {
        const auto has_version = [&](const char* version) { return command.input.find(version) == 4; };
        const char* answer =
            has_version("\x01\x40")
                ? R"({"event":"compile","arch":"sm_100","call":"nvJitLinkComplete -arch=sm_100","result":0,"log":"","made":true})"
            : has_version("\x01\x41")
                ? R"x({"event":"compile","arch":"sm_100","call":"nvJitLinkComplete -arch=sm_100","result":4,"log":"ptxas fatal   : Unresolved extern function 'cb'","made":false})x"
                : R"({"event":"compile","arch":"sm_100","call":"nvJitLinkAddData -arch=sm_100","result":6,"log":"ERROR 4: nvvmAddNVVMContainerToProgram","made":false})";
        return exited(0, "", std::string(R"({"event":"loaded","version":"12.0"})") + "\n" + answer + "\n");
    });
    Consumer linker;
    linker.kind = ConsumerKind::nvjitlink;
    linker.path = "/opt/cuda/lib64/libnvJitLink.so.12";
    linker.version = {*parse_version("12.0"), {}};
    const auto one = [&](const char* version) {
        const auto answers = compiled(host, linker, {code(EntryKind::ltoir, head + version, {1, 64})});
        REQUIRE(answers.size() == 1);
        return answers[0];
    };
    CHECK(one("\x01\x40").outcome == Outcome::accepted);
    CHECK(one("\x01\x42").outcome == Outcome::refused);
    CHECK(one("\x01\x42").words == "ERROR 4: nvvmAddNVVMContainerToProgram");
    const CompiledCode part = one("\x01\x41");
    CHECK(part.outcome == Outcome::unknown);
    CHECK(part.failure == Failure::unlinked);
}

TEST_CASE("each kind of code goes to its own compilers") {
    const FakeHost host = with_tileiras([](const std::string&) { return false; });
    CHECK(compiled(host, tileiras(), {code(EntryKind::ltoir, "lto"), code(EntryKind::ptx, "ptx", {8, 0})})
              .empty());
    CHECK(host.commands_run.empty());
}
