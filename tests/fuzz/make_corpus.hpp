// Where make_corpus writes a target's seeds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "../unit/formats/build_elf.hpp"

struct Folder {
    std::filesystem::path path;

    void add(const std::string& name, const std::string& bytes) const {
        std::filesystem::create_directories(path);
        std::ofstream(path / name, std::ios::binary) << bytes;
    }
    // The same file, truncated and with one field changed.
    void add_damaged(const std::string& name, const std::string& bytes, std::size_t field) const {
        add(name, bytes);
        add(name + "-cut", bytes.substr(0, bytes.size() * 2 / 3));
        std::string poked = bytes;
        built::put(poked, field, 0xfffffff0, 4);
        add(name + "-poked", poked);
    }
};

// Of the targets that read texts, in make_corpus_texts.cpp.
void write_formats(const Folder& folder);
void write_scenarios(const Folder& folder);
