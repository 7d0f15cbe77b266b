#include "policy/sql/sql_names.h"

#include <algorithm>
#include <utility>

#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

constexpr std::size_t kPostgresNameBytesMax = 63;

std::string lowered(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), lower_case);
  return out;
}

/// The content of a quoted name, and the character that is doubled in it.
struct Quoted {
  std::string_view inside;
  char doubled = '\0';
};

Quoted inside_of(const SqlToken& token) {
  if (token.kind != SqlTokenKind::quoted_name) return {token.text, '\0'};
  const char quote = token.text.front();
  return {token.text.substr(1, token.text.size() - 2), quote == '[' ? '\0' : quote};
}

bool ignores_case(SqlNameKind kind, SqlDialect dialect, const SqlNamePart& part) {
  switch (dialect) {
    case SqlDialect::sqlite:
      return true;
    case SqlDialect::mysql:
      return kind == SqlNameKind::function;
    case SqlDialect::ansi:
      return kind == SqlNameKind::function || !part.is_quoted();
    case SqlDialect::postgres:
      return false;
  }
  return false;
}

}  // namespace

std::optional<SqlNamePart> SqlNamePart::read(const SqlToken& token, SqlDialect dialect) {
  const auto [inside, doubled] = inside_of(token);
  const std::size_t size_max =
      dialect == SqlDialect::postgres ? kPostgresNameBytesMax : limits::sql_name_bytes_max;
  SqlNamePart part;
  part.is_quoted_ = token.kind == SqlTokenKind::quoted_name;
  const bool lowers = dialect == SqlDialect::postgres && !part.is_quoted_;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (part.size_ == size_max) return std::nullopt;
    const char c = inside[i];
    part.lower_[part.size_] = lower_case(c);
    part.bytes_[part.size_] = lowers ? lower_case(c) : c;
    ++part.size_;
    if (c == doubled && doubled != '\0') ++i;
  }
  return part;
}

bool is_same_name(const SqlNamePart& a, const SqlNamePart& b, SqlDialect dialect) {
  switch (dialect) {
    case SqlDialect::sqlite:
      return a.lower() == b.lower();
    case SqlDialect::ansi:
      if (a.is_quoted() != b.is_quoted()) return false;
      return a.is_quoted() ? a.text() == b.text() : a.lower() == b.lower();
    case SqlDialect::mysql:
    case SqlDialect::postgres:
      return a.text() == b.text();
  }
  return false;
}

std::optional<SqlName> read_sql_name(std::string_view text, SqlDialect dialect) {
  SqlLexer lexer(text, dialect);
  SqlName name;
  for (SqlToken token = lexer.next(); token.kind != SqlTokenKind::end; token = lexer.next()) {
    if (token.kind == SqlTokenKind::dot) continue;
    if (name.size == SqlName::kPartsMax) return std::nullopt;
    name.parts[name.size] = SqlNamePart::read(token, dialect);
    if (!name.parts[name.size]) return std::nullopt;
    ++name.size;
  }
  if (name.size == 0) return std::nullopt;
  return name;
}

SqlNamePattern SqlNamePattern::every() {
  SqlNamePattern pattern;
  pattern.is_every_ = true;
  return pattern;
}

std::optional<SqlNamePattern> SqlNamePattern::read(std::string_view text) {
  if (text == "**") return every();
  SqlNamePattern pattern;
  if (text.contains('/') || text.contains("**")) return std::nullopt;
  while (true) {
    const std::size_t dot = text.find('.');
    const std::string_view part = text.substr(0, dot);
    if (part.empty() || pattern.segments_.size() == SqlName::kPartsMax) return std::nullopt;
    pattern.segments_.push_back({Glob(std::string(part)), Glob(lowered(part))});
    if (dot == std::string_view::npos) return pattern;
    text.remove_prefix(dot + 1);
  }
}

bool SqlNamePattern::allows(const SqlName& name, SqlNameKind kind, SqlDialect dialect) const {
  if (is_every_) return true;
  if (name.size != segments_.size()) return false;
  for (std::size_t i = 0; i < name.size; ++i) {
    const SqlNamePart& part = name.part(i);
    const bool is_match = ignores_case(kind, dialect, part)
                              ? segments_[i].lower.matches(part.lower())
                              : segments_[i].exact.matches(part.text());
    if (!is_match) return false;
  }
  return true;
}

bool SqlNamePattern::may_mean(const SqlName& name) const {
  const std::size_t size = std::min(name.size, segments_.size());
  for (std::size_t i = 1; i <= size; ++i) {
    const SqlNamePart& part = name.part(name.size - i);
    if (!segments_[segments_.size() - i].lower.matches(part.lower())) return false;
  }
  return true;
}

bool SqlNamePattern::is_literal() const {
  return !is_every_ && std::ranges::all_of(segments_, [](const Segment& segment) {
    return segment.exact.is_literal();
  });
}

}  // namespace bartizan
