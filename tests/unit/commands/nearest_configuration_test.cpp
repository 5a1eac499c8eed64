// SPDX-License-Identifier: Apache-2.0
#include "commands/here.hpp"

#include <doctest/doctest.h>

#include "host/fake_host.hpp"

using namespace ptxguard;
using own::Author;

namespace {

// Paths that start with `others` belong to another user, all others to us.
std::string nearest(const FakeHost& host, const std::string& others = "-",
                    Author who = Author::another_user) {
    const auto found = nearest_configuration(host, "/home/me/project/src", [&](const std::string& path) {
        return path.compare(0, others.size(), others) == 0 ? who : Author::we;
    });
    if (!found) return found.trouble().text();
    std::string text = found->path;
    for (const Trouble& trouble : found->passed_over) text += " | " + trouble.text();
    return text;
}

FakeHost project() {
    FakeHost host;
    host.folder("/home/me/project/src").env("HOME", "/home/me");
    return host;
}

}  // namespace

TEST_CASE("the nearest configuration is used; a pyproject.toml only if it has our table") {
    FakeHost host = project();
    CHECK(nearest(host).empty());
    host.file("/home/me/ptxguard.toml", "");
    host.file("/home/me/project/pyproject.toml", "[project]\nname = 'x'\n");
    CHECK(nearest(host) == "/home/me/ptxguard.toml");
    host.file("/home/me/project/pyproject.toml", "[tool.ptxguard]\narch = '80'\n");
    CHECK(nearest(host) == "/home/me/project/pyproject.toml");
    host.file("/home/me/project/ptxguard.toml", "");
    CHECK(nearest(host) == "/home/me/project/ptxguard.toml");
    host.file("/home/me/project/.ptxguard.toml", "");
    CHECK(nearest(host) == "/home/me/project/.ptxguard.toml");
}

TEST_CASE("the search stops at the repository root and at the home folder") {
    FakeHost host = project();
    host.file("/home/ptxguard.toml", "").file("/ptxguard.toml", "");
    CHECK(nearest(host).empty());
    host.env("HOME", "/elsewhere");
    CHECK(nearest(host) == "/home/ptxguard.toml");
    host.folder("/home/me/project/.git");
    CHECK(nearest(host).empty());
}

TEST_CASE("a configuration that others may have written is ignored, and that is reported") {
    FakeHost host = project();
    host.file("/home/me/project/src/ptxguard.toml", "").file("/home/me/project/ptxguard.toml", "");
    CHECK(nearest(host, "/home/me/project/src/ptxguard.toml") ==
          " | /home/me/project/src/ptxguard.toml is not used: it or its directory belongs to another user: "
          "use --config /home/me/project/src/ptxguard.toml to apply it");
    CHECK(nearest(host, "/home/me/project/src", Author::anybody).find("others may write") !=
          std::string::npos);
    // In a folder that others may write the search stops, whether it has a configuration or not.
    host = project();
    host.file("/home/me/ptxguard.toml", "");
    CHECK(nearest(host, "/home/me/project/ptxguard.toml", Author::anybody).empty());
}

TEST_CASE("an unreadable configuration is not treated as absent") {
    FakeHost host = project();
    host.file("/home/me/ptxguard.toml", "").folder("/home/me/project/ptxguard.toml");
    CHECK(nearest(host) == "/home/me/project/ptxguard.toml is a folder, not a file");
    host = project();
    host.unreadable("/home/me/project/src/ptxguard.toml");
    CHECK(nearest(host) == "/home/me/project/src/ptxguard.toml cannot be read");
    host = project();
    host.link("/home/me/project/src/ptxguard.toml", "/nowhere");
    CHECK(nearest(host) == "/home/me/project/src/ptxguard.toml is a dangling symlink");
}
