// A new text for a file of the user: nothing else of the file changes, and no change of others is lost.
// SPDX-License-Identifier: Apache-2.0
#include "host/replace.hpp"

#include <doctest/doctest.h>

#include "host/host.hpp"
#include "temporary.hpp"

using namespace ptxguard;

namespace {

std::string text_of(const std::string& path) {
    const auto text = real_host()->read(path);
    return text ? *text : "";
}

std::size_t entries_of(const std::string& folder) { return real_host()->list(folder)->size(); }

}  // namespace

TEST_CASE("a new text is beside the file until it is put") {
    const Temporary folder;
    const std::string path = folder.write("x.txt", "old");
    {
        auto text = own::NewText::beside(path, "old", "new");
        REQUIRE(text);
        CHECK(text_of(path) == "old");
        CHECK(entries_of(folder.path) == 2);
        CHECK_FALSE(text->put());
        CHECK(text_of(path) == "new");
        CHECK(entries_of(folder.path) == 1);
    }
    CHECK(text_of(path) == "new");
    CHECK(own::NewText::beside(path, "new", "newer"));  // not put
    CHECK(text_of(path) == "new");
    CHECK(entries_of(folder.path) == 1);
}

TEST_CASE("a file that was changed meanwhile is left alone") {
    const Temporary folder;
    const std::string path = folder.write("x.txt", "old");
    // Before the new text is written.
    CHECK_FALSE(own::NewText::beside(path, "older", "new"));
    CHECK_FALSE(own::NewText::beside(path, "old, but longer", "new"));
    CHECK_FALSE(own::NewText::beside(path, "ol", "new"));
    CHECK_FALSE(own::NewText::beside(path, "", "new"));
    CHECK_FALSE(own::NewText::beside(folder / "none", "", "new"));
    // Between writing the new text and renaming it.
    for (const char* edit : {"old\n# edit", "odd", ""}) {
        auto text = own::NewText::beside(path, "old", "new");
        REQUIRE(text);
        own::remove_tree(path);
        folder.write("x.txt", edit);
        const auto trouble = text->put();
        REQUIRE(trouble);
        CHECK(trouble->subject == path);
        CHECK(trouble->cause.find("changed meanwhile") != std::string::npos);
        CHECK(text_of(path) == edit);
        folder.write("x.txt", "old");
    }
    CHECK(entries_of(folder.path) == 1);  // nothing beside it
    // Another file with the same bytes: a checkout.
    auto text = own::NewText::beside(path, "old", "new");
    REQUIRE(text);
    folder.write("y.txt", "old");
    own::remove_tree(path);
    folder.write("x.txt", "old");
    own::remove_tree(folder / "y.txt");
    CHECK(text->put());
    CHECK(text_of(path) == "old");
    // A file that is gone is not made again.
    auto gone = own::NewText::beside(path, "old", "new");
    REQUIRE(gone);
    own::remove_tree(path);
    CHECK(gone->put());
    CHECK_FALSE(real_host()->read(path));
}

TEST_CASE("what a killed run left is removed, and nothing else") {
    const Temporary folder;
    folder.write(".ptxguard-new-999999999-0", "half");
    for (const char* name :
         {".ptxguard-new-", ".ptxguard-new-1", ".ptxguard-new-999999999-", "requirements.txt",
          ".ptxguard-new-999999999-0.txt", ".ptxguard-new--0", ".ptxguard-new-99999999999999999999-0",
          "ptxguard-new-999999999-0", ".ptxguard-new-x-0"})
        folder.write(name, "kept");
    folder.write(".ptxguard-new-999999999-1/x", "a folder");
    own::remove_new_texts(folder.path);
    CHECK(entries_of(folder.path) == 10);
    CHECK_FALSE(real_host()->read(folder / ".ptxguard-new-999999999-0"));
    own::remove_new_texts(folder / "none");
}
