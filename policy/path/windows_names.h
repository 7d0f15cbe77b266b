#pragma once

#include <string_view>

namespace bartizan {

/// Whether a component of a path has a special meaning on Windows, or on a share that Windows
/// serves. It is a device (`NUL`, `com1.txt`), a stream (`a.txt::$DATA`), a name that loses its
/// last dot or blank, a short name (`SECRET~1`), or has a character that no name has.
///
/// Source: Microsoft, "Naming Files, Paths, and Namespaces"; CWE-58, CWE-67, CWE-69.
bool is_special_on_windows(std::string_view component);

}  // namespace bartizan
