// What only POSIX systems have: links, FIFOs, permissions, interpreters.
// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <fstream>
#include <functional>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/host.hpp"
#include "host/library.hpp"
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

TEST_CASE("a folder is writable if files can be created in it; a file never is") {
    const Temporary folder;
    CHECK(real_host()->status(folder.path).writable);
    CHECK_FALSE(real_host()->status(folder.write("x", "1")).writable);
    ::chmod(folder.path.c_str(), 0555);
    if (::geteuid() != 0) CHECK_FALSE(real_host()->status(folder.path).writable);
    ::chmod(folder.path.c_str(), 0755);
}

TEST_CASE("a file is ours if nobody else could have written it") {
    const Temporary folder;
    const std::string file = folder.write("x", "1");
    CHECK(own::author_of(file) == own::Author::we);
    CHECK(own::author_of(folder / "none") == own::Author::we);
    ::chmod(file.c_str(), 0666);
    CHECK(own::author_of(file) == own::Author::anybody);
    ::chmod(file.c_str(), 0644);
    ::chmod(folder.path.c_str(), 01777);
    CHECK(own::author_of(file) == own::Author::anybody);
    CHECK(own::author_of(folder / "none") == own::Author::anybody);
    ::chmod(folder.path.c_str(), 0770);  // our own group
    CHECK(own::author_of(file) == own::Author::we);
    if (::geteuid() != 0) return;
    REQUIRE(::chown(file.c_str(), 65534, 65534) == 0);
    CHECK(own::author_of(file) == own::Author::another_user);
}

TEST_CASE("links on disk are followed, and dangling and looping ones are distinguished") {
    const Temporary folder;
    const auto host = real_host();
    folder.write("real/x", "1");
    REQUIRE(::symlink("real", (folder / "link").c_str()) == 0);
    REQUIRE(::symlink("nowhere", (folder / "dangling").c_str()) == 0);
    REQUIRE(::symlink("loop", (folder / "loop").c_str()) == 0);
    CHECK(host->status(folder / "link").type == FileType::directory);
    CHECK(host->status(folder / "link").is_link);
    CHECK(host->status(folder / "link/x").inode == host->status(folder / "real/x").inode);
    CHECK(*host->real_path(folder / "link/x") == *host->real_path(folder.path) + "/real/x");
    CHECK(host->status(folder / "dangling").type == FileType::dangling_link);
    CHECK(host->status(folder / "loop").type == FileType::link_loop);
    CHECK(host->status(folder / "loop/x").type == FileType::link_loop);
    const auto entries = *host->list(folder.path);
    REQUIRE(entries.size() == 4);
    CHECK(entries[0].type == FileType::dangling_link);
    CHECK(entries[1].type == FileType::directory);
    CHECK(entries[2].type == FileType::link_loop);
}

TEST_CASE("a FIFO is refused and does not block") {
    const Temporary folder;
    REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
    CHECK(real_host()->status(folder / "fifo").type == FileType::other);
    CHECK(real_host()->read(folder / "fifo").trouble().cause == "it is not a regular file");
}

TEST_CASE("a folder without permission is unreadable" * doctest::skip(::geteuid() == 0)) {
    const Temporary folder;
    folder.write("closed/x", "1");
    ::chmod((folder / "closed").c_str(), 0);
    CHECK(real_host()->status(folder / "closed").type == FileType::unreadable);
    CHECK(real_host()->status(folder / "closed/x").type == FileType::unreadable);
    CHECK(real_host()->list(folder / "closed").trouble().cause == "Permission denied");
    ::chmod((folder / "closed").c_str(), 0700);
}

TEST_CASE("permissions are checked for the user who runs the check" * doctest::skip(::geteuid() != 0)) {
    const Temporary folder;
    folder.write("closed/x", "1");
    ::chmod(folder.path.c_str(), 0755);
    ::chmod((folder / "closed").c_str(), 0);
    const pid_t pid = ::fork();
    if (pid == 0) {
        if (::setuid(65534) != 0) ::_exit(2);
        const auto host = real_host();
        const bool closed = host->status(folder / "closed").type == FileType::unreadable &&
                            host->status(folder / "closed/x").type == FileType::unreadable &&
                            host->list(folder / "closed").trouble().cause == "Permission denied";
        ::_exit(closed ? 0 : 1);
    }
    int how = 0;
    ::waitpid(pid, &how, 0);
    CHECK(WEXITSTATUS(how) == 0);
}

TEST_CASE("files in /proc are read although their size is 0") {
    CHECK_FALSE(real_host()->read("/proc/self/status")->empty());
}

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

TEST_CASE("when we are killed our programs end, and the next run removes the folder") {
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

TEST_CASE("a library of the system is loaded and its symbols found") {
    const auto library = LoadedLibrary::open("libc.so.6");
    REQUIRE(library);
    CHECK(library->symbol("getpid") != nullptr);
    CHECK(library->symbol("no_such_symbol_anywhere") == nullptr);
    CHECK(ends_with(library->path(), "libc.so.6"));
}

TEST_CASE("writing a file keeps its permissions, and leftovers of a killed run do not matter") {
    const Temporary folder;
    const std::string path = folder.write("report.json", "old");
    ::chmod(path.c_str(), 0640);
    for (int i = 0; i < 300; ++i)
        std::ofstream(path + ".new-" + std::to_string(::getpid()) + "-" + std::to_string(i)) << "left";
    CHECK_FALSE(own::write_file(path, "new"));
    CHECK(*real_host()->read(path) == "new");
    struct stat info;
    REQUIRE(::stat(path.c_str(), &info) == 0);
    CHECK((info.st_mode & 07777) == 0640);
}

TEST_CASE("an output file is written where a shell would write it") {
    const Temporary folder;
    const auto make_link = [&](const std::string& target, const char* name) {
        REQUIRE(::symlink(target.c_str(), (folder / name).c_str()) == 0);
        return folder / name;
    };
    const auto type = [](const std::string& path) {
        struct stat info;
        return ::lstat(path.c_str(), &info) == 0 ? info.st_mode & S_IFMT : 0;
    };
    const std::string file = folder.write("file", "old");
    const std::string link = make_link("file", "link"), dangling = make_link("later", "dangling");
    const std::string device = make_link("/dev/null", "device"), full = make_link("/dev/full", "full");
    const std::string fifo = folder / "fifo";
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    const int reader = ::open(fifo.c_str(), O_RDONLY | O_NONBLOCK);
    for (const std::string& path : {link, dangling, device, fifo})
        CHECK_FALSE(own::write_output(path, "new"));
    char got[4] = {};
    CHECK((::read(reader, got, 3) == 3 && std::string(got) == "new"));
    ::close(reader);
    CHECK(*real_host()->read(file) == "new");
    CHECK(*real_host()->read(folder / "later") == "new");
    for (const std::string& path : {link, dangling, device}) CHECK(type(path) == S_IFLNK);
    CHECK(type(fifo) == S_IFIFO);
    CHECK(own::write_output(full, "new")->text() == full + " cannot be written: No space left on device");
    // Names that we create point nowhere else.
    CHECK_FALSE(own::write_file(link, "ours"));
    CHECK(type(link) == S_IFREG);
    CHECK(*real_host()->read(file) == "new");
}

TEST_CASE("the cache is where XDG puts it, else under home") {
    const char* const names[] = {"XDG_CACHE_HOME", "HOME"};
    std::string old[2];
    for (int i = 0; i < 2; ++i) old[i] = real_host()->env(names[i]).value_or("");
    ::setenv("HOME", "/home/me", 1);
    ::setenv("XDG_CACHE_HOME", "/var/cache me", 1);
    CHECK(own::cache_folder() == "/var/cache me/ptxguard");
    ::setenv("XDG_CACHE_HOME", "relative", 1);
    CHECK(own::cache_folder() == "/home/me/.cache/ptxguard");
    ::setenv("HOME", "", 1);
    CHECK(own::cache_folder() == "");
    for (int i = 0; i < 2; ++i) old[i].empty() ? ::unsetenv(names[i]) : ::setenv(names[i], old[i].c_str(), 1);
}

TEST_CASE("temporary folders follow TMPDIR and are private") {
    const Temporary folder;
    ::setenv("TMPDIR", folder.path.c_str(), 1);
    const auto inside = own::temporary_folder();
    ::setenv("TMPDIR", (folder / "none").c_str(), 1);
    const auto nowhere = own::temporary_folder();
    ::unsetenv("TMPDIR");
    REQUIRE(inside);
    CHECK(starts_with(*inside, folder.path + "/"));
    struct stat info;
    REQUIRE(::stat(inside->c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0700);
    REQUIRE_FALSE(nowhere);
    CHECK(nowhere.trouble().text() ==
          (folder / "none") + " takes no temporary folder: No such file or directory");
}

TEST_CASE("links of a tree are resolved inside it") {
    const Temporary folder;
    folder.write("outside", "secret");
    folder.write("root/opt/cuda-13.0/bin/nvcc", "nvcc");
    own::make_folders(folder / "root/etc/alternatives");
    own::make_folders(folder / "root/usr/local");
    const auto make = [&](const std::string& target, const std::string& path) {
        REQUIRE(::symlink(target.c_str(), (folder / ("root" + path)).c_str()) == 0);
    };
    make("/opt/cuda-13.0", "/etc/alternatives/cuda");
    make("/etc/alternatives/cuda", "/usr/local/cuda");
    make("../../../../../outside", "/usr/escape");
    make((folder / "outside"), "/usr/absolute");
    make("loop2", "/usr/loop1");
    make("/usr/loop1", "/usr/loop2");
    make("/", "/usr/all");
    const auto host = root_host(folder / "root", System::linux_, {});
    CHECK(*host->read("/usr/local/cuda/bin/nvcc") == "nvcc");
    CHECK(*host->real_path("/usr/local/cuda") == "/opt/cuda-13.0");
    CHECK(*host->real_path("/usr/local/cuda/../x/../cuda-13.0").trouble().cause.c_str() == 'N');
    CHECK(*host->real_path("/usr/local/cuda/../cuda-13.0") == "/opt/cuda-13.0");
    CHECK(*host->read("/usr/all/usr/all/opt/cuda-13.0/bin/nvcc") == "nvcc");
    CHECK(host->status("/usr/local/cuda").is_link);
    CHECK_FALSE(host->status("/usr/local/cuda/bin").is_link);
    CHECK(host->status("/usr/local/cuda").inode == host->status("/opt/cuda-13.0").inode);
    CHECK(host->status("/usr/escape").type == FileType::dangling_link);
    CHECK(host->status("/usr/absolute").type == FileType::dangling_link);
    CHECK(host->status("/usr/absolute/x").type == FileType::missing);
    CHECK(host->status("/usr/loop1").type == FileType::link_loop);
    CHECK(host->status("/usr/loop1/x").type == FileType::link_loop);
    CHECK(host->real_path("/usr/loop1").trouble().cause == "Too many levels of symbolic links");
    const auto entries = *host->list("/usr");
    REQUIRE(entries.size() == 6);
    CHECK(entries[0].type == FileType::dangling_link);  // absolute
    CHECK(entries[1].type == FileType::directory);      // all
    CHECK(entries[2].type == FileType::dangling_link);  // escape
    CHECK(entries[4].type == FileType::link_loop);      // loop1 and loop2 around local
    CHECK(*root_host(folder / "root", System::windows, {})->read("C:/USR/Local/CUDA/bin/NVCC") == "nvcc");
}

TEST_CASE("the next run removes the temporary folder of a killed run, not that of a running one") {
    const Temporary folder;
    const char* before = std::getenv("TMPDIR");
    const std::string kept = before ? before : "";
    ::setenv("TMPDIR", (folder / "").c_str(), 1);
    const std::string stale = folder / "ptxguard-work.abcdef", fresh = folder / "ptxguard-work.ghijkl";
    const std::string longer = folder / "ptxguard-work.abcdefg";
    const std::string unrelated = folder / "ptxguard-source";
    const std::string active = *own::temporary_folder();
    for (const std::string& path : {stale, fresh, longer, unrelated}) {
        REQUIRE(::mkdir(path.c_str(), 0700) == 0);
        REQUIRE_FALSE(own::write_file(path + "/probe.cu", "x"));
    }
    const timeval long_ago[2] = {{1000000, 0}, {1000000, 0}};
    for (const std::string& path : {stale, unrelated, active}) REQUIRE(::utimes(path.c_str(), long_ago) == 0);
    const std::string next = *own::temporary_folder();
    const auto host = real_host();
    for (const std::string& path : {stale, fresh}) CHECK(host->status(path).type == FileType::missing);
    for (const std::string& path : {longer, unrelated, active, next})
        CHECK(host->status(path).type == FileType::directory);
    if (kept.empty())
        ::unsetenv("TMPDIR");
    else
        ::setenv("TMPDIR", kept.c_str(), 1);
}
