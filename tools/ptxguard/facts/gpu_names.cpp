// From a GPU's name, as a driver or a user gives it, to its architecture. Exact names first, then names with
// additions that do not change the chip (memory size, board form, Ti), then short forms if all matches agree.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "facts/tables.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

using Words = std::vector<std::string>;

// Lower-case words, without optional vendor and brand words.
Words gpu_words(const std::string& name) {
    static const char* const k_dropped[] = {"nvidia", "geforce",  "tesla", "tegra", "gpu",
                                            "nvgpu",  "graphics", "grid",  "r",     "tm"};
    Words words = plain_words(lower(name), "");
    erase_if(words, [](const std::string& word) { return contains(k_dropped, word); });
    return words;
}

// Additions to a product's name that do not change the architecture: "80GB", "HBM3", "SXM4", "PCIe", "Ti",
// "SHARED" (a label of Kubernetes).
bool keeps_architecture(const std::string& word) {
    static const char* const k_forms[] = {"pcie",        "sxm",     "nvl",    "gb",         "ti",
                                          "super",       "d",       "laptop", "mobile",     "max",
                                          "q",           "with",    "design", "generation", "server",
                                          "workstation", "edition", "module", "mig",        "shared"};
    if (contains(k_forms, word)) return true;
    if (all_of(word, is_digit)) return word.size() <= 3;  // the 80 of "80 GB"
    const auto letters = word.substr(0, word.find_first_of("0123456789"));
    const auto end = word.find_last_of("0123456789");
    const auto tail = end == std::string::npos ? word : word.substr(end + 1);
    if (letters.empty()) return tail == "gb" || tail == "g" || tail == "gib";
    return letters == "sxm" || letters == "hbm" || letters == "nvl" || letters == "gddr";
}

// "rtx5090ti" -> "rtx", "5090", "ti": words that people write without the blanks between them.
Words separated(const Words& glued) {
    static const char* const k_brands[] = {"quadro", "titan", "rtx", "gtx", "gt"};
    Words words;
    for (std::string word : glued) {
        for (bool again = true; again;) {
            again = false;
            for (const std::string brand : k_brands)
                if (starts_with(word, brand) && word.size() > brand.size()) {
                    words.push_back(brand);
                    word.erase(0, brand.size());
                    again = true;
                }
        }
        std::size_t cut = word.size();  // of the number: the form follows, "ti", "sxm5"
        for (std::size_t at = 1; at < word.size() && cut == word.size(); ++at)
            if (is_digit(word[at - 1]) && !is_digit(word[at]) && keeps_architecture(word.substr(at)))
                cut = at;
        words.push_back(word.substr(0, cut));
        if (cut < word.size()) words.push_back(word.substr(cut));
    }
    return words;
}

bool contains_all(const Words& all, const Words& some) {
    return all_of(some, [&](const std::string& w) { return contains(all, w); });
}

bool only_adds_form(const Words& name, const Words& product) {
    return contains_all(name, product) &&
           all_of(name, [&](const std::string& w) { return contains(product, w) || keeps_architecture(w); });
}

// Matching products, by the strictest comparison with a match.
std::vector<const Product*> fitting(const std::vector<Product>& products, const Words& name) {
    std::vector<const Product*> same, longest, shorter;
    std::size_t most = 0;
    for (const auto& product : products) {
        const auto words = gpu_words(product.name);
        if (contains_all(name, words) && contains_all(words, name)) {
            same.push_back(&product);
        } else if (only_adds_form(name, words)) {
            if (words.size() > most) longest.clear();
            most = std::max(most, words.size());
            if (words.size() == most) longest.push_back(&product);
        } else if (contains_all(words, name)) {
            shorter.push_back(&product);
        }
    }
    return !same.empty() ? same : !longest.empty() ? longest : shorter;
}

std::string listed(const std::vector<const Product*>& products) {
    constexpr std::size_t k_shown = 6;
    std::string text;
    for (std::size_t i = 0; i < products.size() && i < k_shown; ++i)
        text += (i ? ", " : "") + products[i]->name + " (" + products[i]->arch.sm() + ")";
    return products.size() > k_shown ? text + " ..." : text;
}

// "16q" of "T4-16Q", "80c" of "A100D-80C": memory size and use of a virtual GPU.
bool is_profile(const std::string& word) {
    const auto digits = word.find_first_not_of("0123456789");
    return digits != 0 && digits + 1 == word.size() &&
           std::string("abcq").find(word[digits]) != std::string::npos;
}

// The name of the board that a virtual GPU ("GRID A100D-80C") belongs to.
Words board_of(Words name) {
    if (name.size() < 2 || !is_profile(name.back())) return name;
    name.pop_back();
    const auto end = name.front().find_last_of("0123456789");
    if (name.size() == 1 && end != std::string::npos) name.front().resize(end + 1);
    return name;
}

}  // namespace

Known<Arch> find_gpu(const ArchTable& table, const std::string& name) {
    Known<Arch> known;
    known.origin = table.origin;
    if (auto arch = parse_arch(name)) {
        arch->suffix = 0;
        known.value = arch;
        known.origin.text = "named as " + name;
        return known;
    }
    const auto words = board_of(gpu_words(name));
    auto products = words.empty() ? std::vector<const Product*>{} : fitting(table.products, words);
    if (products.empty() && !words.empty()) products = fitting(table.products, separated(words));
    std::set<Arch> archs;
    for (const auto* product : products) archs.insert(product->arch);
    if (archs.size() == 1) {
        known.value = *archs.begin();
        known.origin.text += ": " + listed(products);
    } else if (archs.empty()) {
        known.origin.text += ": no product is listed as '" + name + "'";
    } else {
        known.origin.text += ": '" + name + "' may be " + listed(products);
    }
    return known;
}

Known<Arch> find_board(const PciTable& table, const std::string& name, const Known<Arch>& unknown) {
    const Words wanted = gpu_words(name);
    Known<Arch> known;
    for (const auto& [id, board] : table) {
        const Words words = gpu_words(board.name);
        if (words.empty() || !contains_all(wanted, words) || !only_adds_form(wanted, words)) continue;
        if (known && *known != *board.arch) return unknown;
        known = board.arch;
    }
    return known ? known : unknown;
}

// facts/architectures.json -> architectures with the toolkits that support them, and products with their
// architecture.

namespace {

// The documented version; otherwise the lowest that a ptxas accepted.
std::optional<PtxVersion> first_ptx(FactReader& reader, const Json& row) {
    if (const auto documented = reader.ptx(row, "lowest_ptx_documented")) return documented;
    std::optional<PtxVersion> lowest;
    for (const auto& accepted : row["lowest_ptx_accepted"].items())
        if (const auto ptx = parse_ptx_version(accepted.as_string()))
            lowest = lowest ? std::min(*lowest, *ptx) : *ptx;
    return lowest;
}

ArchFacts read_arch(FactReader& reader, const Json& row) {
    ArchFacts facts;
    if (const auto arch = reader.arch(row, "arch"))
        facts.arch = *arch;
    else
        reader.complain("arch", "", "is missing");
    facts.generation = reader.word(row, "generation");
    facts.first_toolkit = reader.version(row, "first_toolkit");
    facts.last_toolkit = reader.version(row, "last_toolkit");
    if (const auto branch = reader.version(row, "last_driver")) facts.last_driver = branch->major();
    facts.integrated = row["integrated"].as_bool();
    facts.first_ptx = first_ptx(reader, row);
    facts.origin = reader.origin(facts.arch.sm(), reader.source_words(row));
    return facts;
}

// The architectures for which each ptxas assembled PTX of a family; a later ptxas supports more members.
std::map<Arch, std::vector<int>> read_families(FactReader& reader, const Json& measured) {
    std::map<Arch, std::vector<int>> families;
    for (const auto& [tool, rows] : measured.members())
        for (const auto& [name, members] : rows.members()) {
            const auto code = parse_arch(name);
            if (!code || !members.is_array()) {
                reader.complain("families_measured", name, "is not an architecture with a list");
                continue;
            }
            std::vector<int>& numbers = families[*code];
            for (const Arch member : reader.archs(rows, name.c_str()))
                if (!contains(numbers, member.number)) numbers.push_back(member.number);
            std::sort(numbers.begin(), numbers.end());
        }
    return families;
}

}  // namespace

ArchTable read_architectures(FactReader& reader, const Json& root) {
    ArchTable table;
    for (const auto& row : root["architectures"].items()) table.archs.push_back(read_arch(reader, row));
    table.families = read_families(reader, root["families_measured"]);
    for (const auto& row : root["products"].items()) {
        const auto name = reader.needed_word(row, "name");
        if (const auto arch = reader.arch(row, "arch"))
            table.products.push_back({name, *arch});
        else
            reader.complain("name", name, "has no architecture");
    }
    table.origin = reader.origin("products", "");
    return table;
}

PciTable read_pci_ids(FactReader& reader, const Json& root) {
    PciTable table;
    for (const Json& row : root["chips"].items()) {
        const std::string chip = reader.needed_word(row, "chip");
        const auto arch = reader.arch(row, "arch");
        if (!arch) continue;
        for (const auto& [name, ids] : row["products"].members())
            for (const Json& id : ids.items())
                table[id.as_string()] = {name.empty() ? chip : name, {*arch, reader.origin("chips", chip)}};
    }
    return table;
}

}  // namespace ptxguard
