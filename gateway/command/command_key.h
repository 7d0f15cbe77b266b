#pragma once

#include <cstdint>
#include <expected>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/review/command_output.h"

namespace bartizan {

/// A key of 256 random bits, and its digest, which the gateway stores.
struct NewKey {
  std::string key;
  std::string sha256;
};
/// Draws a new key. Nothing if the kernel gives no random bytes.
std::optional<NewKey> draw_key();

struct KeyOptions {
  std::string name = {};
  std::string principal = {};
  std::string expires = {};   ///< As `read_key_expiry` reads it; empty for a key without an end.
  std::string out = {};       ///< A new file for the key; empty to show it.
  bool has_terminal = false;  ///< Whether `problems` is read by a person.
};

/// The day from which a key is refused, at midnight UTC, as `expires` of the key has it:
/// `2027-01-31`. `text` is such a day, or whole days from today, such as `90d`.
/// Input: `now` in seconds since 1970 UTC.
/// Errors: why it is neither, or no later day than today.
std::expected<std::string, std::string> read_key_expiry(std::string_view text, std::int64_t now);

/// `bartizan key new NAME --principal P`: makes a key of 256 random bits. The table that lets the
/// gateway know it by its digest goes to `results`, alone, so that it can be appended to a
/// configuration. The key goes to the file `out`, which only its owner can read, or is shown this
/// once on a terminal. Without either nothing is made: a key in the log of a script is no secret.
/// JSON has both.
int make_key(const KeyOptions& options, const CommandOutput& output);

/// `bartizan key hash`: the digest of an existing key. It is read from an environment variable if
/// one is named, otherwise from `input`. Never from the command line, which every process can read.
struct KeySource {
  std::istream& input;
  std::string variable;
};
int hash_key(const KeySource& source, const CommandOutput& output);

}  // namespace bartizan
