#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "policy/detect/scan_text.h"

namespace bartizan {

/// How a value is quoted.
enum class Quoting : std::uint8_t { none, quotes, markup };

/// A name and its assigned value, in any language: `A=b`, `"a": "b"`, `a: b`, `a := "b"`, `'a' =>
/// 'b'`, `<a>b</a>`, `--a b`, `export A='b'`, `const a: string = "b"`, an environment entry of
/// Kubernetes.
struct Assignment {
  std::size_t name_begin, name_end;
  std::size_t value_begin, value_end;
  Quoting quoting;
  bool is_compared = false;   ///< `a == b`
  bool is_listed = false;     ///< `("a", "b")`, which may be any two things.
  bool is_formatted = false;  ///< `f"…{a}…"`, `$"…{a}…"`
};

/// Returns the assignment whose name contains the bytes at [begin, end).
///
/// Cost: at most 512 bytes around the name, and the whole value. The run of the value is
///       remembered.
std::optional<Assignment> read_assigned(ScanText& text, std::size_t begin, std::size_t end);

/// Whether a place is inside a string with that kind of quotes. Only the 256 bytes of its line
/// before it are read. The quotes around a string of a message do not count.
bool is_in_string(ScanText& text, std::size_t place, char quote);

}  // namespace bartizan
