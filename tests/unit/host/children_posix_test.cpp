// Programs that POSIX systems start: scripts, signals, and that nothing outlives a call.
// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/host.hpp"
#include "host/output.hpp"
#include "temporary.hpp"

using namespace ptxguard;
using State = ProcessResult::State;

namespace {

std::string script(const Temporary& folder, const std::string& text) {
    const std::string path = folder.write("script", text);
    ::chmod(path.c_str(), 0755);
    return path;
}

ProcessResult run(const std::string& program) {
    Command command;
    command.argv = {program};
    command.time_limit = std::chrono::seconds(10);
    return real_host()->run(command);
}

}  // namespace

TEST_CASE("scripts run, and one without a valid first line has a reason") {
    const Temporary folder;
    CHECK(run(script(folder, "#!/bin/sh\necho from a script\n")).out == "from a script\n");
    CHECK(run(script(folder, "#!/no/such/shell -e\n")).trouble ==
          "its interpreter /no/such/shell is missing");
    CHECK(run(script(folder, "echo no first line\n")).trouble == "Exec format error");
    CHECK(run(folder.write("plain", "#!/bin/sh\n")).trouble == "Permission denied");
    CHECK(run(folder / "none").trouble == "No such file or directory");
}

TEST_CASE("a crash has its signal") {
    const Temporary folder;
    const ProcessResult result = run(script(folder, "#!/bin/sh\nkill -ABRT $$\n"));
    CHECK(result.state == State::crashed);
    CHECK(result.exit_code == SIGABRT);
}

TEST_CASE("no child stays behind as a zombie or inherits our files") {
    const Temporary folder;
    // The parent process may have left us open files: those do not count.
    std::size_t inherited = 0;
    for (int fd = 3; fd < 1024; ++fd) inherited += ::fcntl(fd, F_GETFD) == 0;
    const ProcessResult result = run(script(folder, "#!/bin/sh\nls /proc/$$/fd\n"));
    CHECK(result.ok());
    // 0, 1, 2 and the script itself, which the shell reads.
    CHECK(split(result.out, "\n").size() <= 4 + inherited);
    run(folder / "none");
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
}

TEST_CASE("the children of a killed program are gone afterwards") {
    const Temporary folder;
    const std::string path = script(folder, "#!/bin/sh\nsleep 60 & echo $!\nwait\n");
    Command command;
    command.argv = {path};
    command.time_limit = std::chrono::milliseconds(400);
    const ProcessResult result = real_host()->run(command);
    CHECK(result.state == State::timed_out);
    const int left = std::stoi(result.out);
    // Killed at once; the process that reaps orphans here may take a moment.
    bool gone = false;
    for (int i = 0; i < 100 && !gone; ++i) {
        const auto stat = real_host()->read("/proc/" + std::to_string(left) + "/stat");
        gone = !stat || stat->find(") Z ") != std::string::npos || stat->find(") X ") != std::string::npos;
        if (!gone) ::usleep(20000);
    }
    CHECK(gone);
}

namespace {

std::size_t programs_called(const std::string& word) {
    std::size_t count = 0;
    const auto entries = real_host()->list("/proc");
    REQUIRE(entries);
    for (const DirectoryEntry& entry : *entries) {
        const auto line = real_host()->read("/proc/" + entry.name + "/cmdline");
        if (line && line->find(word) != std::string::npos) ++count;
    }
    return count;
}

bool comes_true(const std::function<bool()>& condition) {
    for (int i = 0; i < 500; ++i) {
        if (condition()) return true;
        ::usleep(20000);
    }
    return false;
}

struct Worker {
    pid_t pid = -1;
    std::string folder;
};

// The child program, with a program below it and a folder of its own.
Worker start_worker(int ignored_signal) {
    const std::string program = parent_path(own::executable_path()) + "/unit_host_child";
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    Worker worker;
    worker.pid = ::fork();
    if (worker.pid == 0) {
        for (const int number : {SIGINT, SIGTERM, SIGHUP})
            ::signal(number, number == ignored_signal ? SIG_IGN : SIG_DFL);
        ::dup2(ends[1], 1);
        ::close(ends[0]);
        ::close(ends[1]);
        ::execl(program.c_str(), program.c_str(), "work", nullptr);
        ::_exit(127);
    }
    ::close(ends[1]);
    for (char c = 0; ::read(ends[0], &c, 1) == 1 && c != '\n';) worker.folder += c;
    ::close(ends[0]);
    REQUIRE(comes_true([&] { return programs_called(worker.folder) == 2; }));
    return worker;
}

}  // namespace

TEST_CASE("a signal ends the process and its children, and no folder is left behind") {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        const Worker worker = start_worker(number == SIGTERM ? SIGHUP : 0);
        CHECK(real_host()->status(worker.folder).type == FileType::directory);
        if (number == SIGTERM) ::kill(worker.pid, SIGHUP);  // ignored, as under nohup
        ::kill(worker.pid, number);
        int how = 0;
        REQUIRE(::waitpid(worker.pid, &how, 0) == worker.pid);
        CHECK((WIFSIGNALED(how) && WTERMSIG(how) == number));
        CHECK(real_host()->status(worker.folder).type == FileType::missing);
        CHECK(comes_true([&] { return programs_called(worker.folder) == 0; }));
    }
}

namespace {

// Temporary folders of this process and of those that it starts lie in `folder`.
class OwnTemporaries {
public:
    explicit OwnTemporaries(const std::string& folder) {
        const char* before = std::getenv("TMPDIR");
        if (before) m_before = before;
        ::setenv("TMPDIR", folder.c_str(), 1);
    }
    ~OwnTemporaries() { m_before ? ::setenv("TMPDIR", m_before->c_str(), 1) : ::unsetenv("TMPDIR"); }

private:
    std::optional<std::string> m_before;
};

}  // namespace

TEST_CASE("when we are killed our programs end, and the next run removes the folder") {
    const Temporary folder;
    const OwnTemporaries own_folder(folder.path);  // a program that runs beside this one would remove it
    const Worker worker = start_worker(0);
    ::kill(worker.pid, SIGKILL);
    REQUIRE(::waitpid(worker.pid, nullptr, 0) == worker.pid);
    CHECK(comes_true([&] { return programs_called(worker.folder) == 0; }));
    CHECK(real_host()->status(worker.folder).type == FileType::directory);
    own::remove_tree(*own::temporary_folder());
    CHECK(real_host()->status(worker.folder).type == FileType::missing);
}

namespace {

// Ways to leave a program: `what` runs on.
std::vector<std::string> leaving(const std::string& what) {
    return {what + " &", "setsid " + what + " &", "(setsid " + what + " >/dev/null 2>&1 &) </dev/null",
            "setsid sh -c 'setsid " + what + " & (setsid " + what + " &); wait' &",
            "setsid sh -c 'trap \"\" TERM HUP INT; " + what + "; " + what + "' >/dev/null 2>&1 &"};
}

}  // namespace

TEST_CASE("a program's descendants end with it, also those that left its session") {
    const Temporary folder;
    for (const std::string& line : leaving("sleep 310.0001")) {
        CAPTURE(line);
        const ProcessResult ended =
            run(script(folder, "#!/bin/sh\n" + line + "\necho 'release 13.0'\nexit 3\n"));
        CHECK(ended.state == State::exited);
        CHECK(ended.exit_code == 3);
        CHECK(ended.out == "release 13.0\n");
        CHECK(programs_called("310.0001") == 0);
        Command hangs;
        hangs.argv = {script(folder, "#!/bin/sh\n" + line + "\nsleep 310.0001\n")};
        hangs.time_limit = std::chrono::milliseconds(300);
        CHECK(real_host()->run(hangs).state == State::timed_out);
        CHECK(programs_called("310.0001") == 0);
    }
}

TEST_CASE("no program ends the descendants of another, or children of ours that it did not start") {
    const Temporary folder;
    const pid_t own_child = ::fork();
    if (own_child == 0) {
        ::alarm(60);  // if this test fails
        if (::fork() == 0) {
            ::alarm(60);
            ::pause();  // an orphan, once its parent ends
        }
        ::pause();
        ::_exit(0);
    }
    std::vector<Command> commands;
    for (int i = 0; i < 12; ++i) {
        const std::string file = folder / std::to_string(i);
        const std::string late =
            "setsid sh -c 'sleep 1; echo alive >" + file + "' &\nsleep 1.5; cat " + file + "\n";
        const std::string text =
            i % 3 == 0 ? late : "sleep 0." + std::to_string(i) + "; (setsid sleep 310.0002 &)\n";
        Command command;
        command.argv = {folder.write("run" + std::to_string(i), "#!/bin/sh\n" + text)};
        ::chmod(command.argv[0].c_str(), 0700);
        commands.push_back(command);
    }
    const auto results = real_host()->run_all(commands, 12);
    for (std::size_t i = 0; i < results.size(); ++i) {
        CHECK(results[i].ok());
        if (i % 3 == 0) CHECK(results[i].out == "alive\n");
    }
    CHECK(programs_called("310.0002") == 0);
    CHECK(::waitpid(own_child, nullptr, WNOHANG) == 0);
    int inherits_orphans = 1;
    CHECK(::prctl(PR_GET_CHILD_SUBREAPER, &inherits_orphans) == 0);
    CHECK(inherits_orphans == 0);
    const auto processes = real_host()->list("/proc");
    for (const DirectoryEntry& entry : *processes) {
        const auto stat = real_host()->read("/proc/" + entry.name + "/stat");
        if (stat && stat->find(") S " + std::to_string(own_child) + " ") != std::string::npos)
            ::kill(std::stoi(entry.name), SIGKILL);
    }
    ::kill(own_child, SIGKILL);
    ::waitpid(own_child, nullptr, 0);
}

TEST_CASE("a program that stops or kills its keeper gains nothing") {
    const Temporary folder;
    const ProcessResult killed = run(script(folder, "#!/bin/sh\nkill -9 $PPID\nsleep 310.0003\n"));
    CHECK(killed.state == State::crashed);
    CHECK(comes_true([&] { return programs_called("310.0003") == 0; }));
    Command stops;
    stops.argv = {script(folder, "#!/bin/sh\n(setsid sleep 310.0003 &)\nkill -STOP $PPID\n")};
    stops.time_limit = std::chrono::milliseconds(300);
    const ProcessResult stopped = real_host()->run(stops);
    CHECK(stopped.state == State::timed_out);
    CHECK(stopped.milliseconds < 1500);
    CHECK(programs_called("310.0003") == 0);
}

TEST_CASE("a program may send a signal to its group") {
    const Temporary folder;
    const ProcessResult result =
        run(script(folder, "#!/bin/sh\ntrap '' TERM\nkill -TERM 0\nsleep 0.2\nexit 5\n"));
    CHECK(result.state == State::exited);
    CHECK(result.exit_code == 5);
}

TEST_CASE("how a program ended is known although our parent had SIGCHLD ignored") {
    const Temporary folder;
    const std::string path = script(folder, "#!/bin/sh\nexit 7\n");
    const auto before = ::signal(SIGCHLD, SIG_IGN);
    const ProcessResult result = run(path);
    ::signal(SIGCHLD, before);
    CHECK(result.state == State::exited);
    CHECK(result.exit_code == 7);
}
