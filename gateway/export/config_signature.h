#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "config/secret_reference.h"

namespace bartizan {

/// Helpers for a configuration's signature: a text that changes when the configuration or its files
/// change. A reload compares signatures and reopens only what changed. No signature contains a
/// secret.

/// SHA-256, hexadecimal.
std::string digest_of(std::string_view text);
/// The name of a secret with the secret's digest. An unreadable secret counts as empty; opening it
/// reports the error.
std::string digest_of(const SecretReference& reference);
/// The path with the file's digest; empty without a path.
std::string digest_of_file(const std::string& path);
/// Joins the parts, each after its length, so that no two lists give the same text.
std::string joined(std::initializer_list<std::string> parts);

}  // namespace bartizan
