#pragma once

#include <string>
#include <string_view>

#include "policy/decision.h"

namespace bartizan {

/// Decides whether a path argument lies within `root`, by components, from its text alone.
///
/// A relative path is judged against `cwd`, the directory in which the server runs; without one it
/// is denied, since nobody here knows what the server makes of it. Spellings that programs read in
/// different ways are denied: NUL and control characters, backslashes, a leading `~`, a URL scheme,
/// percent-encoded dots and separators (in up to four rounds, overlong or as `%u002e`), names of
/// dots alone or followed by `;` that some programs climb with, names over 255 bytes, invalid
/// UTF-8, text that is not NFC, invisible characters other than joiners, and look-alikes of dots
/// and separators. The root itself is inside. Links on disk are not looked at here.
///
/// Cost:   linear; no memory for plain text without percent signs.
/// Source: CWE-22, CWE-41; CVE-2025-53110 (a prefix of the text is not a parent directory).
Decision judge_path(std::string_view path, std::string_view root, std::string_view cwd);

}  // namespace bartizan
