#pragma once

#include <string_view>

namespace bartizan {

/// Whether a component of a path means more to Windows, or to a share that Windows serves, than its
/// letters say: a device (`NUL`, `com1.txt`), a stream (`a.txt::$DATA`), a name that loses its last
/// dot or blank, a short name (`SECRET~1`), or a character that no name has.
///
/// Source: Microsoft, "Naming Files, Paths, and Namespaces"; CWE-58, CWE-67, CWE-69.
bool is_special_on_windows(std::string_view component);

}  // namespace bartizan
