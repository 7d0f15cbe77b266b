#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace bartizan {

struct TomlEntry;

/// One value of a TOML document with its place. It is plain data, so that only one file includes
/// toml++. Its headers cost seconds in every translation unit.
struct TomlValue {
  enum class Type : std::uint8_t { boolean, integer, number, text, date, moment, array, table };
  Type type = Type::table;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;
  std::string text = {};
  std::chrono::sys_days date = {};  ///< A date without time, as midnight UTC.
  /// Of a date and time with an offset; nothing if it has no offset.
  std::optional<std::chrono::sys_seconds> moment = {};
  std::vector<TomlValue> items = {};
  std::vector<TomlEntry> entries;  ///< In the order of the keys' bytes.
  Position where = {};
};

/// One `key = value` of a table; `where` is the place of the key.
struct TomlEntry {
  std::string key;
  TomlValue value;
  Position where = {};
};

/// Why a document is not TOML 1.0, and where.
struct TomlError {
  Position where = {};
  std::string message;
};

/// The entry of that key, or null. Lifetime: the table's.
const TomlEntry* find_entry(const TomlValue& table, std::string_view key);

/// A type's name for errors: `a string`.
std::string_view type_name(TomlValue::Type type);

/// The largest configuration file that is read, in bytes.
inline constexpr std::size_t kConfigFileBytesMax = std::size_t{4} << 20;

/// Parses a TOML 1.0 document.
///
/// Input:  any bytes; at most `kConfigFileBytesMax`. Values are nested at most 32 deep, and a
///         dotted key has at most 32 parts. toml++ itself bounds brackets but not dots, and would
///         overflow the stack when it destroys `a.a.a.…`.
/// Errors: the first error, with its line and column in file number `file`.
std::expected<TomlValue, TomlError> parse_toml(std::string_view text, std::uint32_t file);

}  // namespace bartizan
