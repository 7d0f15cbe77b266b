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

/// One part of a name, without quotes.
class SqlNamePart {
 public:
  /// Empty if the part is longer than the dialect keeps: PostgreSQL cuts names after 63 bytes.
  static std::optional<SqlNamePart> read(const SqlToken& token, SqlDialect dialect);

  /// The name as the database stores it, by its grammar. PostgreSQL lowers unquoted names. Others
  /// keep the spelling.
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

/// Whether two names are certainly the same in that dialect.
bool is_same_name(const SqlNamePart& a, const SqlNamePart& b, SqlDialect dialect);

/// `users`, `public.users`, `main."My table"`: one to three parts.
struct SqlName {
  static constexpr std::size_t kPartsMax = 3;

  std::array<std::optional<SqlNamePart>, kPartsMax> parts = {};
  std::size_t size = 0;

  const SqlNamePart& part(std::size_t index) const { return *parts[index]; }
  const SqlNamePart& last() const { return part(size - 1); }
};

/// Parses a name in a statement. Nothing if it has too many parts, or too long ones.
std::optional<SqlName> read_sql_name(std::string_view text, SqlDialect dialect);

/// The kind of a named object. Databases fold the two kinds differently.
enum class SqlNameKind : std::uint8_t { table, function };

/// A pattern for names of tables or functions in a policy: `users`, `public.users`, `public.*`,
/// `*`. `**` matches every name. A part has no quotes and is spelled as the database stores it. `*`
/// matches any characters within a part.
class SqlNamePattern {
 public:
  /// Nothing if the text is not a pattern: empty parts, more than three parts, `**` with something
  /// else.
  static std::optional<SqlNamePattern> read(std::string_view text);

  static SqlNamePattern every();

  /// Whether the pattern certainly matches a name with as many parts. Names are folded as in the
  /// dialect. SQLite ignores the case of ASCII letters. PostgreSQL lowers unquoted names. MySQL
  /// compares tables exactly. In ANSI, unquoted names have no case.
  bool allows(const SqlName& name, SqlNameKind kind, SqlDialect dialect) const;
  /// Whether the pattern may match a name. Compares the last parts, as many as both have, and
  /// ignores case.
  bool may_mean(const SqlName& name) const;
  /// Whether it has no wildcard.
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
