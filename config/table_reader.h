#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/known_keys.h"
#include "config/problems.h"
#include "config/toml_reader.h"

namespace bartizan {

/// The range of an integer, a duration or a size, inclusive.
struct Range {
  std::int64_t min = 0;
  std::int64_t max = 0;
};

/// A string with its place, for errors about it.
struct Text {
  std::string value;
  Position where;
};

/// Reads one table of the configuration and notes which keys were read. Every getter returns
/// nothing for a key that is absent or invalid; it reports the latter.
/// Lifetime: views the table, the files' names, `problems` and the known keys.
class TableReader {
 public:
  /// `kind` is the table's name in `keys`. `name` is the written name, if that differs. `where` is
  /// the place of the table's own key. `keys` are the keys of the document's language.
  TableReader(const TomlValue& table, const std::string& kind, Position where, Problems& problems,
              std::span<const KnownKey> keys = known_keys());
  TableReader(const TomlValue& table, std::string kind, std::string name, Position where,
              Problems& problems, std::span<const KnownKey> keys = known_keys());

  bool has(std::string_view key) const;
  /// Whether the key has an empty array.
  bool is_empty_array(std::string_view key) const;
  /// Reports an empty array, where it can only be a mistake.
  void refuse_empty(std::string_view key, std::string hint = {});
  /// The place of a key, or of the table where the key is absent.
  Position where(std::string_view key) const;
  Position where() const { return where_; }

  /// The value of any type, or null. Marks the key as read, as do all getters below.
  const TomlEntry* find(std::string_view key);
  const TomlEntry* find(std::string_view key, TomlValue::Type type, std::string hint = {});

  std::optional<bool> boolean(std::string_view key);
  std::optional<std::int64_t> integer(std::string_view key, Range range);
  std::optional<std::string> text(std::string_view key);  ///< Never empty.
  std::optional<std::chrono::milliseconds> duration(std::string_view key, Range range_ms);
  std::optional<std::uint64_t> size(std::string_view key, Range range);
  /// Midnight UTC that begins the day, in seconds since 1970.
  std::optional<std::int64_t> date(std::string_view key);
  /// A date and time with its offset from UTC, in seconds since 1970.
  std::optional<std::int64_t> moment(std::string_view key);
  /// A file's path, made absolute against the file that names it.
  std::optional<std::string> path(std::string_view key);
  /// An array of such paths, with their places.
  std::vector<Text> paths(std::string_view key);
  /// `env:NAME` or `file:PATH`. Any other text may be the secret itself, so it is never printed.
  SecretReference secret(std::string_view key);
  /// An array of distinct, non-empty strings; at most 1024.
  std::vector<Text> texts(std::string_view key);
  /// A table whose values are all strings.
  std::map<std::string, std::string> text_map(std::string_view key);
  /// The sub-table of that key, or nothing.
  std::optional<TableReader> table(std::string_view key);
  /// The sub-table of that key, with the known keys of `kind`, or nothing.
  std::optional<TableReader> table_of_kind(std::string_view key, std::string kind);
  /// All present keys, each with its place.
  std::vector<Text> keys() const;
  /// The tables of `[KEY.NAME]` with their names, ordered by name.
  std::vector<std::pair<Text, TableReader>> named_tables(std::string_view key);

  template <class E>
  std::optional<E> choice(std::string_view key,
                          std::span<const std::pair<std::string_view, E>> choices) {
    std::vector<std::string_view> names;
    names.reserve(choices.size());
    for (const auto& [name, value] : choices)
      names.push_back(name);
    const auto index = choice_index(key, names);
    if (!index) return std::nullopt;
    return choices[*index].second;
  }

  /// An array of distinct words of `choices`. Returns their values in the order of the array.
  template <class E>
  std::vector<E> choices(std::string_view key,
                         std::span<const std::pair<std::string_view, E>> choices) {
    std::vector<std::string_view> names;
    names.reserve(choices.size());
    for (const auto& [name, value] : choices)
      names.push_back(name);
    std::vector<E> chosen;
    for (const std::size_t index : choice_indexes(key, names))
      chosen.push_back(choices[index].second);
    return chosen;
  }

  /// Reports every key that is unknown, known but not built, or unread.
  void finish();

  Problems& problems() { return *problems_; }
  const std::string& kind() const { return kind_; }

 private:
  std::optional<std::size_t> choice_index(std::string_view key,
                                          const std::vector<std::string_view>& names);
  std::vector<std::size_t> choice_indexes(std::string_view key,
                                          const std::vector<std::string_view>& names);
  const std::string& holder(const Position& where) const;
  void report_unread(const TomlEntry& entry);
  const TomlValue* table_;
  std::string kind_;
  std::string name_;
  Position where_;
  Problems* problems_;
  std::span<const KnownKey> keys_;
  std::set<std::string_view> read_;
};

/// The values without their places.
std::vector<std::string> values(const std::vector<Text>& texts);

}  // namespace bartizan
