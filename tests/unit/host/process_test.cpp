// Child processes of every bad kind, with the real host and the helper program built with this one.
// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include <doctest/doctest.h>

#include "host/host.hpp"
#include "temporary.hpp"

using namespace ptxguard;
using State = ProcessResult::State;

namespace {

std::string child() {
    const std::string self = own::executable_path();
    const System system = ends_with(self, ".exe") ? System::windows : System::linux_;
    return join_path(parent_path(self), executable_name("unit_host_child", system));
}

Command command(std::vector<std::string> arguments, int limit_ms = 20000) {
    arguments.insert(arguments.begin(), child());
    Command result;
    result.argv = std::move(arguments);
    result.time_limit = std::chrono::milliseconds(limit_ms);
    return result;
}

ProcessResult run(const Command& what) { return real_host()->run(what); }

}  // namespace

TEST_CASE("arguments reach a program unchanged and both streams are captured") {
    const ProcessResult result =
        run(command({"echo", "a b", "", "quote\"d", "back\\", "sp ace\\", "\\\"", "*;&|%PATH%", "ü→"}));
    CHECK(result.state == State::exited);
    CHECK(result.exit_code == 0);
    CHECK(result.out == "[echo][a b][][quote\"d][back\\][sp ace\\][\\\"][*;&|%PATH%][ü→]");
    CHECK(result.err == "to stderr");
    CHECK_FALSE(result.truncated);
    CHECK(result.milliseconds > 0);
}

TEST_CASE("the exit code of a program is returned") {
    const ProcessResult result = run(command({"exit", "7"}));
    CHECK(result.state == State::exited);
    CHECK(result.exit_code == 7);
    CHECK_FALSE(result.ok());
}

TEST_CASE("a program that hangs is killed at its time limit, even if it ignores SIGTERM") {
    const ProcessResult result = run(command({"hang"}, 300));
    CHECK(result.state == State::timed_out);
    CHECK(result.milliseconds >= 290);
    CHECK(result.milliseconds < 5000);
}

TEST_CASE("the time limit also ends the children of a program") {
    const ProcessResult result = run(command({"leave-and-hang"}, 500));
    CHECK(result.state == State::timed_out);
    CHECK(result.milliseconds < 5000);
}

TEST_CASE("a child left behind that keeps the pipes open does not block") {
    const ProcessResult result = run(command({"leave"}));
    CHECK(result.state == State::exited);
    CHECK(result.out.substr(0, 4) == "left");
    CHECK(result.milliseconds < 5000);
}

TEST_CASE("a flood on both streams is read to its end and cut at the cap") {
    Command flood = command({"flood", "8000000"});
    flood.output_cap = 100000;
    const ProcessResult result = run(flood);
    CHECK(result.ok());
    CHECK(result.out.size() == 100000);
    CHECK(result.err.size() == 100000);
    CHECK(result.truncated);
}

TEST_CASE("a crash is distinguished from an exit") {
    const ProcessResult result = run(command({"crash"}));
    CHECK(result.state == State::crashed);
    CHECK(result.exit_code != 0);
}

TEST_CASE("input is passed in full, is empty by default and may be left unread") {
    Command cat = command({"cat"});
    CHECK(run(cat).out.empty());
    cat.input = std::string(300000, 'y') + "\nend";
    CHECK(run(cat).out == cat.input);
    Command deaf = command({"exit", "0"});
    deaf.input = std::string(3000000, 'y');
    CHECK(run(deaf).ok());
}

TEST_CASE("a program gets our environment with the changes and in English") {
    const auto host = real_host({{"PTXGUARD_LAID_OVER", "1"}});
    CHECK(*host->env("PTXGUARD_LAID_OVER") == "1");
    CHECK(host->run(command({"env", "PTXGUARD_LAID_OVER"})).out == "1");
    CHECK(host->run(command({"env", "LC_ALL"})).out == "C");
    Command changed = command({"env", "PTXGUARD_LAID_OVER"});
    changed.environment["PTXGUARD_LAID_OVER"] = "ü";
    CHECK(host->run(changed).out == "ü");
    changed.environment["PTXGUARD_LAID_OVER"] = std::nullopt;
    CHECK(host->run(changed).out == "(unset)");
}

TEST_CASE("a program runs in the given folder") {
    const Temporary folder;
    own::make_folders(folder / "ü b");
    Command where = command({"folder"});
    where.directory = folder / "ü b";
    CHECK(run(where).out == *real_host()->real_path(folder / "ü b"));
    where.directory = folder / "none";
    CHECK(run(where).state == State::not_started);
    CHECK(run(where).trouble == where.directory + " is not a directory that can be entered");
}

TEST_CASE("a program runs in a folder with a long path, or there is a reason") {
    const Temporary folder;
    for (const std::size_t length : {245u, 256u, 300u, 600u}) {
        std::string path = folder / "a";
        while (path.size() < length) path += "/" + std::string(std::min<std::size_t>(40, length), 'x');
        CAPTURE(path.size());
        REQUIRE_FALSE(own::make_folders(path));
        Command where = command({"folder"});
        where.directory = path;
        const ProcessResult result = run(where);
        if (result.state == State::not_started)  // Windows, where the disk has no short names
            CHECK(result.trouble == path + " is too long for a working folder");
        else
            CHECK(result.ok());
    }
}

TEST_CASE("a program that cannot be started has a reason") {
    const Temporary folder;
    Command missing;
    missing.argv = {folder / "none.exe"};
    CHECK(run(missing).state == State::not_started);
    CHECK(run(missing).trouble == "No such file or directory");
    CHECK(run(Command{}).trouble == "the command is empty");
    Command garbage;
    garbage.argv = {folder.write("garbage.exe", "no program")};
    CHECK(run(garbage).state == State::not_started);
    CHECK_FALSE(run(garbage).trouble.empty());
}

TEST_CASE("many programs run at once and return in order") {
    std::vector<Command> commands;
    for (int i = 0; i < 12; ++i) commands.push_back(command({"exit", std::to_string(i)}));
    const auto results = real_host()->run_all(commands, 4);
    REQUIRE(results.size() == 12);
    for (int i = 0; i < 12; ++i) CHECK(results[static_cast<std::size_t>(i)].exit_code == i);
    CHECK(real_host()->run_all({}, 0).empty());
}

TEST_CASE("a program that hangs does not delay the start of the others") {
    const auto begin = std::chrono::steady_clock::now();
    real_host()->run_all({command({"hang"}, 700), command({"hang"}, 700), command({"exit", "0"})}, 3);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(5000));
}
