// Who can write what the cache returns.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <filesystem>

#ifndef _WIN32
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "ask/asker.hpp"
#include "ask/questions.hpp"
#include "host/fake_host.hpp"
#include "host/paths.hpp"
#include "host/private_files.hpp"

using namespace ptxguard;
namespace fs = std::filesystem;

namespace {

struct CacheFolder {
    std::string path = *own::temporary_folder();
    ~CacheFolder() { own::remove_tree(path); }
    std::string operator/(const std::string& name) const { return join_path(path, name); }
};

Question question(const std::string& asked) {
    Question all;
    all.asked = asked;
    all.decided_by = {"/bin/nvcc"};
    return all;
}

Answer answer(const std::string& out) {
    Answer all;
    all.state = ProcessResult::State::exited;
    all.out = out;
    return all;
}

void keep(const std::string& folder, const std::string& asked, const std::string& out) {
    const FakeHost host;
    Asker(host, folder).keep(question(asked), answer(out));
}

// What is returned; "" if nothing is.
std::string known(const std::string& folder, const std::string& asked) {
    const FakeHost host;
    const auto found = Asker(host, folder).known(question(asked));
    return found ? found->out : "";
}

std::vector<fs::path> entries(const std::string& folder) {
    std::vector<fs::path> all;
    for (const auto& entry : fs::directory_iterator(join_path(folder, "probes"))) all.push_back(entry.path());
    return all;
}

}  // namespace

TEST_CASE("questions that run together are counted, those with cached answers are not") {
    const CacheFolder folder;
    const FakeHost host;
    keep(folder.path, "kept", "answer");
    Asker ask(host, folder.path);
    std::string counts;
    ask.report_counts([&](std::size_t done, std::size_t all, const std::string& about) {
        counts += std::to_string(done) + "/" + std::to_string(all) + " " + about + "; ";
    });
    Questions questions(ask);
    int taken = 0;
    for (const char* name : {"kept", "sm_80", "sm_90"}) {
        Question one = question(name);
        one.about = name;
        questions.add(one, [&](const Answer&) { return ++taken == 0; });
    }
    questions.run();
    CHECK(taken == 3);
    CHECK(counts == "1/2 sm_80; 2/2 sm_90; ");
}

TEST_CASE("the seal is SipHash-2-4") {
    std::string key, bytes;
    for (char c = 0; c < 16; ++c) key += c;
    CHECK(siphash(key, "") == 0x726fdb47dd0e0e31u);
    for (char c = 0; c < 15; ++c) bytes += c;
    CHECK(siphash(key, bytes) == 0xa129ca6149be45e5u);
    CHECK(seal(key + key, "").substr(0, 16) == "726fdb47dd0e0e31");
    CHECK(seal(key + std::string(16, 'x'), "a") != seal(key + std::string(16, 'y'), "a"));
}

TEST_CASE("an answer is returned to who kept it, from any later run") {
    const CacheFolder cache;
    CHECK(known(cache.path, "a") == "");
    keep(cache / "new/ptxguard", "a", "13.0");
    CHECK(known(cache / "new/ptxguard", "a") == "13.0");
}

namespace {

// MinGW's copy does not overwrite.
void replace_by(const fs::path& from, const fs::path& to) {
    fs::remove(to);
    fs::copy(from, to);
}

}  // namespace

TEST_CASE("an entry that was sealed with another key, or for another question, is not returned") {
    const CacheFolder ours, theirs;
    keep(ours.path, "a", "13.0");
    keep(theirs.path, "a", "evil");
    REQUIRE(entries(ours.path).size() == 1);
    const fs::path entry = entries(ours.path)[0];
    const std::string honest = *read_own_file(entry.string());
    replace_by(entries(theirs.path)[0], entry);
    CHECK(known(ours.path, "a") == "");
    // Everything of the entry counts, and so does its place.
    keep(ours.path, "b", "12.0");
    for (const fs::path& other : entries(ours.path))
        if (other != entry) replace_by(other, entry);
    CHECK(known(ours.path, "b") == "12.0");
    CHECK(known(ours.path, "a") == "");
    for (const auto& [from, to] :
         {std::pair<std::string, std::string>{"\"crashed\":false", "\"crashed\":true"},
          {"\"out\":\"13.0\"", "\"out\":\"14.0\""},
          {"\"exit_code\":0", "\"exit_code\":1"}}) {
        std::string changed = honest;
        REQUIRE(changed.find(from) != std::string::npos);
        changed.replace(changed.find(from), from.size(), to);
        REQUIRE_FALSE(own::write_file(entry.string(), changed));
        CHECK(known(ours.path, "a") == "");
    }
    REQUIRE_FALSE(own::write_file(entry.string(), honest));
    CHECK(known(ours.path, "a") == "13.0");
}

TEST_CASE("a damaged key is replaced, and what it sealed is asked again") {
    const CacheFolder cache;
    keep(cache.path, "a", "13.0");
    REQUIRE_FALSE(own::write_file(cache / "key", ""));
    CHECK(known(cache.path, "a") == "");
    keep(cache.path, "a", "13.0");
    CHECK(known(cache.path, "a") == "13.0");
}

#ifndef _WIN32

TEST_CASE("nobody else can read or write the cache, whatever the umask is") {
    const CacheFolder folder;
    const std::string cache = folder / "home/.cache/ptxguard";
    const mode_t before = ::umask(0);
    keep(cache, "a", "13.0");
    ::umask(before);
    for (const char* made : {"home", "home/.cache", "home/.cache/ptxguard", "home/.cache/ptxguard/probes"})
        CHECK(fs::status(folder / made).permissions() == fs::perms::owner_all);
    CHECK(fs::status(cache + "/key").permissions() == (fs::perms::owner_read | fs::perms::owner_write));
    CHECK(known(cache, "a") == "13.0");
    fs::permissions(cache, fs::perms(0755));  // closed by the next answer
    keep(cache, "b", "13.0");
    CHECK(fs::status(cache).permissions() == fs::perms::owner_all);
}

TEST_CASE("a cache that others may write is not used") {
    for (const char* open : {"", "/probes", "/key"}) {
        const CacheFolder cache;
        keep(cache.path, "a", "13.0");
        const fs::perms closed = fs::status(cache.path + open).permissions();
        for (const int mode : {0777, 0770, 0707}) {
            fs::permissions(cache.path + open, fs::perms(mode));
            CHECK(known(cache.path, "a") == "");
            if (std::string(open) != "/key") {
                keep(cache.path, "b", "13.0");
                CHECK(entries(cache.path).size() == 1);
            }
        }
        fs::permissions(cache.path + open, closed);
        CHECK(known(cache.path, "a") == "13.0");
    }
}

TEST_CASE("a cache that another user made is not used" * doctest::skip(::geteuid() != 0)) {
    const CacheFolder cache;
    keep(cache / "c", "a", "13.0");
    fs::create_directory_symlink(cache / "c", cache / "link");
    CHECK(known(cache / "link", "a") == "13.0");
    for (const char* theirs : {"c", "c/probes", "c/key"}) {
        REQUIRE(::chown((cache / theirs).c_str(), 65534, 65534) == 0);
        CHECK(known(cache / "c", "a") == "");
        REQUIRE(::chown((cache / theirs).c_str(), 0, 0) == 0);
    }
    CHECK(known(cache / "c", "a") == "13.0");
}

#endif
