#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace bartizan {

/// The files of a source tree: path below its root → content. A value, so that each rule can be
/// shown a tree that breaks it.
using Tree = std::map<std::string, std::string>;

/// Reads what the project holds: sources, CMake files and pages. What is built, run or installed
/// into it is left out.
Tree read_tree(const std::filesystem::path& root);

/// Each rule answers one line for each place that breaks it: `FILE:LINE: …` or `FILE: …`.

/// Includes point one way: schemas ← config ← policy ← audit ← gateway.
std::vector<std::string> wrong_includes(const Tree& tree);
/// Rooms of one folder include each other one way, in the order of `kRooms`, and every source
/// stands in one of them; `gateway/main.cc` may include all.
std::vector<std::string> wrong_rooms(const Tree& tree);
/// Sources that a CMakeLists.txt lists one below the other are sorted.
std::vector<std::string> unsorted_lists(const Tree& tree);
/// Threads, sockets, processes and clocks are used in gateway/ only.
std::vector<std::string> wrong_machinery(const Tree& tree);
/// In gateway/, `runtime/clock` alone reads the machine's clocks and starts threads, so that a test
/// can lend both its time.
std::vector<std::string> unlent_time(const Tree& tree);
/// Every source is listed by the CMakeLists.txt of its folder, every header included by somebody.
std::vector<std::string> dead_files(const Tree& tree);
/// Every relative link of every page leads to a file or folder that is there.
std::vector<std::string> dead_links(const Tree& tree);
/// No file of the five folders is longer than 450 lines.
std::vector<std::string> long_files(const Tree& tree);
/// No two headers of the five folders define a type of one name (class, struct, enum or alias):
/// they share a namespace, and each source that includes one would get the other's functions.
std::vector<std::string> twice_defined(const Tree& tree);
/// Lines of pages have at most 100 columns, but for rows of tables, which cannot be broken.
/// `tests/house/wide_lines.txt` has the pages that are
/// older than this rule, with how many wider lines each may have, which is how many it has: `PAGE
/// COUNT`.
std::vector<std::string> wide_lines(const Tree& tree);
/// A public comment can be read alone: no `///` comment of a header outside tests/ begins with
/// words that mean the declaration above it.
std::vector<std::string> leaning_comments(const Tree& tree);
/// What this project never uses, and words by which code says that it is not finished.
std::vector<std::string> banned_words(const Tree& tree);
/// Every folder of the top level has its page, and every room.
std::vector<std::string> folders_without_page(const Tree& tree);

}  // namespace bartizan
