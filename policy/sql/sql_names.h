#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/sql/sql_tokens.h"
#include "policy/text/match.h"
#include "schemas/base/limits.h"

namespace bartizan {

/// One part of a name without its quotes.
class SqlNamePart {
 public:
  /// Empty where the part is longer than the dialect keeps: PostgreSQL cuts names after 63 bytes.
  static std::optional<SqlNamePart> read(const SqlToken& token, SqlDialect dialect);

  /// As the database stores it, as far as its grammar tells: unquoted names in lower case in
  /// PostgreSQL, others as they are spelled.
  std::string_view text() const { return {bytes_.data(), size_}; }
  std::string_view lower() const { return {lower_.data(), size_}; }
  bool is_quoted() const { return is_quoted_; }

 private:
  SqlNamePart() = default;

  std::array<char, limits::sql_name_bytes_max> bytes_;
  std::array<char, limits::sql_name_bytes_max> lower_;
  std::uint8_t size_ = 0;
  bool is_quoted_ = false;
};

/// Whether two names surely mean the same in that dialect.
bool is_same_name(const SqlNamePart& a, const SqlNamePart& b, SqlDialect dialect);

/// `users`, `public.users`, `main."My table"`: one to three parts.
struct SqlName {
  static constexpr std::size_t kPartsMax = 3;

  std::array<std::optional<SqlNamePart>, kPartsMax> parts = {};
  std::size_t size = 0;

  const SqlNamePart& part(std::size_t index) const { return *parts[index]; }
  const SqlNamePart& last() const { return part(size - 1); }
};

/// The name that a statement spells so. Nothing where it has too many parts or too long ones.
std::optional<SqlName> read_sql_name(std::string_view text, SqlDialect dialect);

/// What a name stands for: databases fold the two differently.
enum class SqlNameKind : std::uint8_t { table, function };

/// Names of tables or functions in a policy: `users`, `public.users`, `public.*`, `*`; `**` is
/// every name. A part is spelled without quotes, as the database stores it, and `*` stands for any
/// run of characters within it.
class SqlNamePattern {
 public:
  /// Nothing where the text is none: empty parts, more than three, `**` beside something else.
  static std::optional<SqlNamePattern> read(std::string_view text);

  static SqlNamePattern every();

  /// Whether a name of as many parts is surely meant. Names fold as the dialect folds them: SQLite
  /// ignores the case of ASCII letters, PostgreSQL lowers what is unquoted, MySQL compares tables
  /// exactly, and in ANSI what is unquoted has no case.
  bool allows(const SqlName& name, SqlNameKind kind, SqlDialect dialect) const;
  /// Whether a name may be meant: by its last parts, as many as both have, whatever the case.
  bool may_mean(const SqlName& name) const;
  /// Whether it names one thing.
  bool is_literal() const;

 private:
  struct Segment {
    Glob exact;
    Glob lower;
  };

  bool is_every_ = false;
  std::vector<Segment> segments_;
};

}  // namespace bartizan
