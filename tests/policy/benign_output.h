#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bartizan {

/// One text that a tool may answer with, in which nothing is wrong.
struct BenignOutput {
  std::string_view kind;  ///< `code`, `log`, `table`, `json`, `image`, `digest`, `git`, `trace`,
                          ///< `prose`, `emoji`, `right_to_left`, `joiners`, `marks`.
  std::string text;       ///< UTF-8; no secret, nothing hidden, no address of a person.
};

/// About so many bytes of what tools say every day: code in eight languages, logs, tables, JSON,
/// base64 images, UUIDs and digests, diffs, stack traces, prose in ten languages, emoji of all
/// kinds of sequences, Arabic and Hebrew, scripts that are written with joiners, letters with marks
/// of their own. Whatever is searched for or taken out must leave all of it as it is. The same for
/// the same seed.
std::vector<BenignOutput> benign_output(std::size_t bytes, std::uint64_t seed);

}  // namespace bartizan
