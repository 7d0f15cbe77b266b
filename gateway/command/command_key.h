#pragma once

#include <istream>
#include <optional>
#include <string>

#include "gateway/review/command_output.h"

namespace bartizan {

/// A key of 256 random bits, and the digest by which the gateway knows it.
struct NewKey {
  std::string key;
  std::string sha256;
};
/// Nothing when the kernel gives no random bytes.
std::optional<NewKey> draw_key();

/// `bartizan key new NAME --principal P`: makes a key of 256 random bits and writes it, this once,
/// with the table that lets the gateway know it by its digest.
int make_key(const std::string& name, const std::string& principal, const CommandOutput& output);

/// `bartizan key hash`: the digest of a key that exists, read from an environment variable where
/// one is named, else from `input`. Never from the command line, which every process can read.
struct KeySource {
  std::istream& input;
  std::string variable;
};
int hash_key(const KeySource& source, const CommandOutput& output);

}  // namespace bartizan
