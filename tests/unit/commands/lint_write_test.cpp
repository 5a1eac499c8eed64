// `lint --fix` of several files: all are written, or the result names each one that was not.
// SPDX-License-Identifier: Apache-2.0
#include "commands/lint_write.hpp"

#include <doctest/doctest.h>

#include <memory>

#include "host/paths.hpp"

using namespace ptxguard;

namespace {

struct Folder {
    const std::string path = *own::temporary_folder();
    const std::unique_ptr<Host> host = real_host();
    const recipes::AllowedFiles files{*host, {path}};

    Folder() {
        for (const char* name : {"a.txt", "b.txt", "c.txt"}) write(name, "old");
    }
    ~Folder() { own::remove_tree(path); }
    std::string at(const std::string& name) const { return join_path(path, name); }
    void write(const std::string& name, const std::string& text) const { own::write_file(at(name), text); }
    std::string text(const std::string& name) const {
        const auto read = host->read(at(name), 100);
        return read ? *read : "";
    }
    std::string texts() const { return text("a.txt") + " " + text("b.txt") + " " + text("c.txt"); }
    std::size_t entries() const { return host->list(path)->size(); }
};

std::string subjects(const std::vector<Trouble>& troubles) {
    std::string all;
    for (const Trouble& trouble : troubles) all += file_name(trouble.subject) + " ";
    return all;
}

}  // namespace

TEST_CASE("a pattern of a folder names the files below it, however short its name") {
    const auto named = files_named({"d/", "ci/docs/"}, Origin{});
    for (const char* file : {"d/a.txt", "d/e/a.txt", "x/d/a.txt", "ci/docs/a.txt"})
        CHECK_MESSAGE(named(file, false), file);
    for (const char* file : {"d", "e/a.txt", "docs/a.txt", "ci/a.txt", "../d/a.txt"})
        CHECK_MESSAGE(!named(file, false), file);
    CHECK(named("d", true));
}

TEST_CASE("several files are written") {
    const Folder folder;
    RecipeWriter writer(folder.files);
    for (const char* name : {"a.txt", "b.txt"}) writer.prepare({folder.at(name), "old", "new"});
    CHECK(folder.texts() == "old old old");
    CHECK(writer.finish().empty());
    CHECK(folder.texts() == "new new old");
    CHECK(folder.entries() == 3);
}

TEST_CASE("if one file cannot be prepared, none is changed, and each is named") {
    const Folder folder;
    {
        RecipeWriter writer(folder.files);
        writer.prepare({folder.at("a.txt"), "old", "new"});
        writer.prepare({folder.at("b.txt"), "was different", "new"});
        writer.prepare({folder.at("c.txt"), "old", "new"});
        CHECK(subjects(writer.finish()) == "b.txt a.txt c.txt ");
    }
    CHECK(folder.texts() == "old old old");
    CHECK(folder.entries() == 3);
}

TEST_CASE("a file that is edited while the others are written keeps its edit, and only it is named") {
    const Folder folder;
    {
        RecipeWriter writer(folder.files);
        for (const char* name : {"a.txt", "b.txt", "c.txt"}) writer.prepare({folder.at(name), "old", "new"});
        folder.write("b.txt", "old\n# edit\n");
        const auto unwritten = writer.finish();
        CHECK(subjects(unwritten) == "b.txt ");
        CHECK(unwritten.at(0).cause.find("changed meanwhile") != std::string::npos);
    }
    CHECK(folder.texts() == "new old\n# edit\n new");
    CHECK(folder.entries() == 3);
}

TEST_CASE("two names of one file: written once, or refused if they change differently") {
    const Folder folder;
    const std::string other = folder.at("./a.txt");
    {
        RecipeWriter writer(folder.files);
        writer.prepare({folder.at("a.txt"), "old", "new"});
        writer.prepare({other, "old", "newer"});
        CHECK(subjects(writer.finish()) == "a.txt a.txt ");
        CHECK(folder.text("a.txt") == "old");
    }
    RecipeWriter writer(folder.files);
    writer.prepare({folder.at("a.txt"), "old", "new"});
    writer.prepare({other, "old", "new"});
    CHECK(writer.finish().empty());
    CHECK(folder.text("a.txt") == "new");
}

TEST_CASE("nothing outside of the repository is written") {
    const Folder folder, outside;
    RecipeWriter writer(folder.files);
    writer.prepare({outside.at("a.txt"), "old", "new"});
    writer.prepare({join_path(folder.path, "../" + file_name(outside.path) + "/b.txt"), "old", "new"});
    CHECK(subjects(writer.finish()) == "a.txt b.txt ");
    CHECK(outside.texts() == "old old old");
    CHECK_FALSE(writable_path(folder.files, outside.at("a.txt")));
    CHECK_FALSE(writable_path(folder.files, folder.at("none.txt")));
    CHECK(writable_path(folder.files, folder.at("a.txt")));
}
