#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "config/secret_reference.h"

namespace bartizan {

/// Parts of a text that differs where anything of a configuration does, what its files hold
/// included. A reload compares it, so as to open again only what changed. No secret stands in it.

/// SHA-256, hexadecimal.
std::string digest_of(std::string_view text);
/// The name of a secret with the digest of the secret. One that cannot be read counts as empty:
/// whoever opens it reports that.
std::string digest_of(const SecretReference& reference);
/// The path with the digest of the file; empty without a path.
std::string digest_of_file(const std::string& path);
/// Each part with its length before it, so that no two lists give the same text.
std::string joined(std::initializer_list<std::string> parts);

}  // namespace bartizan
