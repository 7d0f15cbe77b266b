#include "policy/sql/sql_reader.h"

#include <algorithm>
#include <array>

#include "schemas/base/ascii.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// First words of statements that do more than read, or that the parser does not support.
constexpr auto kCommands = std::to_array<std::string_view>({
    "abort",    "alter",    "analyse",    "analyze",   "attach",   "backup",      "begin",
    "break",    "bulk",     "cache",      "call",      "change",   "check",       "checkpoint",
    "checksum", "close",    "cluster",    "comment",   "commit",   "continue",    "copy",
    "create",   "dbcc",     "deallocate", "declare",   "delete",   "deny",        "desc",
    "describe", "detach",   "discard",    "do",        "drop",     "end",         "exec",
    "execute",  "explain",  "fetch",      "flush",     "go",       "grant",       "handler",
    "help",     "import",   "insert",     "install",   "kill",     "listen",      "load",
    "lock",     "merge",    "move",       "notify",    "open",     "optimize",    "pragma",
    "prepare",  "print",    "purge",      "raiserror", "reassign", "reconfigure", "refresh",
    "reindex",  "release",  "rename",     "repair",    "replace",  "reset",       "resignal",
    "restart",  "restore",  "return",     "revert",    "revoke",   "rollback",    "savepoint",
    "security", "set",      "show",       "shutdown",  "signal",   "start",       "stop",
    "throw",    "truncate", "uninstall",  "unlisten",  "unlock",   "update",      "upsert",
    "use",      "vacuum",   "waitfor",    "xa",
});

constexpr std::size_t kLongestCommand = 11;

bool is_same(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, {}, lower_case);
}

bool is_command(std::string_view word) {
  return word.size() <= kLongestCommand &&
         std::ranges::any_of(kCommands, [&](std::string_view c) { return is_same(word, c); });
}

/// Whether a text is UTF-8 without NUL. Most are ASCII, which is checked first.
bool is_readable(std::string_view text) {
  unsigned all = 0;
  bool has_nul = false;
  for (const char c : text) {
    all |= static_cast<unsigned char>(c);
    has_nul |= c == '\0';
  }
  return !has_nul && (all < 0x80 || is_valid_utf8(text));
}

}  // namespace

std::expected<SqlStatement, SqlRefusal> read_sql(std::string_view text, SqlDialect dialect) {
  if (text.size() > limits::sql_bytes_max) return std::unexpected(SqlRefusal::too_large);
  if (!is_readable(text)) return std::unexpected(SqlRefusal::malformed);
  return SqlReader(text, dialect).read();
}

std::expected<SqlStatement, SqlRefusal> SqlReader::read() {
  advance();
  if (!statement()) return std::unexpected(refusal_.value_or(SqlRefusal::malformed));
  statement_.has_comment = lexer_.has_comment();
  return statement_;
}

// --- Tokens -------------------------------------------------------------------------------------

void SqlReader::advance() {
  before_ = now_.kind;
  now_ = lexer_.next();
  if (is(SqlTokenKind::word)) word_ = sql_word(now_.text);
}

SqlToken SqlReader::ahead() const {
  SqlLexer copy = lexer_;
  return copy.next();
}

SqlWord SqlReader::word_ahead() const {
  const SqlToken token = ahead();
  return token.kind == SqlTokenKind::word ? sql_word(token.text) : SqlWord::none;
}

bool SqlReader::is_operation(std::string_view text) const {
  return is(SqlTokenKind::operation) && now_.text == text;
}

/// Whether the token is that word, which is a name in other places.
bool SqlReader::is_plain(std::string_view lower) const {
  return is(SqlTokenKind::word) && is_same(now_.text, lower);
}

bool SqlReader::is_command_word() const {
  return is(SqlTokenKind::word) && is_command(now_.text);
}

bool SqlReader::is_any(std::initializer_list<SqlWord> words) const {
  return is(SqlTokenKind::word) && std::ranges::find(words, word_) != words.end();
}

bool SqlReader::is_name() const {
  return is(SqlTokenKind::quoted_name) || (is(SqlTokenKind::word) && !is_reserved(word_));
}

bool SqlReader::take(SqlTokenKind kind) {
  if (!is(kind)) return false;
  advance();
  return true;
}

bool SqlReader::take(SqlWord word) {
  if (!is(word)) return false;
  advance();
  return true;
}

bool SqlReader::take_plain(std::string_view lower) {
  if (!is_plain(lower)) return false;
  advance();
  return true;
}

bool SqlReader::expect(SqlTokenKind kind) {
  return take(kind) || unexpected();
}

bool SqlReader::expect(SqlWord word) {
  return take(word) || unexpected();
}

bool SqlReader::expect_plain(std::string_view lower) {
  return take_plain(lower) || unexpected();
}

/// Words that make a query write or lock get a refusal of their own.
bool SqlReader::unexpected() {
  using enum SqlWord;
  if (is_any({into, for_, lock, procedure, set, returning})) return refuse(SqlRefusal::statement);
  return refuse(SqlRefusal::malformed);
}

bool SqlReader::refuse(SqlRefusal refusal) {
  refusal_ = refusal;
  return false;
}

bool SqlReader::use(SqlUse use, std::string_view text) {
  const SqlUsed used{text.data(), static_cast<std::uint32_t>(text.size()), use};
  return statement_.used.push_back(used) || refuse(SqlRefusal::too_large);
}

/// Whether the token is a part of a name after a dot. There PostgreSQL and MySQL accept any word,
/// MySQL only without a blank.
bool SqlReader::is_later_part(const SqlToken& dot) const {
  if (is_name()) return true;
  const bool is_near = now_.text.data() == dot.text.data() + dot.text.size();
  return is(SqlTokenKind::word) && is_near && (has(SqlDialect::postgres) || has(SqlDialect::mysql));
}

/// `a`, `a.b`, `a.b.c`, from the first part to the last.
std::optional<std::string_view> SqlReader::name_chain() {
  const char* const begin = now_.text.data();
  bool is_part = is_name();
  while (is_part) {
    const char* const end = now_.text.data() + now_.text.size();
    advance();
    if (!is(SqlTokenKind::dot)) return std::string_view(begin, end);
    const SqlToken dot = now_;
    advance();
    is_part = is_later_part(dot);
  }
  unexpected();
  return std::nullopt;
}

// --- Statements ---------------------------------------------------------------------------------

bool SqlReader::statement() {
  if (is_query_start() || is(SqlTokenKind::open)) {
    statement_.kind = SqlClass::select;
    return query() && end_of_statement();
  }
  if (is(SqlWord::show)) return show() && end_of_statement();
  if (is(SqlWord::explain)) return explain() && end_of_statement();
  return refuse(is_command_word() ? SqlRefusal::statement : SqlRefusal::malformed);
}

/// One semicolon may end a statement, as people and clients write it. Nothing may follow.
bool SqlReader::end_of_statement() {
  if (take(SqlTokenKind::semicolon) && !is(SqlTokenKind::end)) {
    return refuse(SqlRefusal::several);
  }
  return is(SqlTokenKind::end) || unexpected();
}

/// `SHOW name`, `SHOW ALL`, `SHOW TIME ZONE` of PostgreSQL.
bool SqlReader::show() {
  statement_.kind = SqlClass::show;
  advance();
  if (has(SqlDialect::mysql)) return show_of_mysql();
  if (!has(SqlDialect::postgres)) return refuse(SqlRefusal::statement);
  if (!is(SqlTokenKind::word)) return unexpected();
  while (is(SqlTokenKind::word) || is(SqlTokenKind::dot))
    advance();
  return true;
}

/// What MySQL shows of databases, tables and settings, but not of accounts, routines and other
/// sessions. Databases count as tables.
bool SqlReader::show_of_mysql() {
  constexpr auto kShown = std::to_array<std::string_view>(
      {"tables", "columns", "fields", "index", "indexes", "keys", "databases", "schemas",
       "variables", "status", "warnings", "engines", "collation", "charset"});
  for (const std::string_view word : {"extended", "full", "session", "global"})
    take_plain(word);
  const bool is_definition = take_plain("create");
  if (is_definition) {
    if (!is(SqlWord::table) && !is_plain("view")) return refuse(SqlRefusal::statement);
    advance();
    const auto name = name_chain();
    return name && use(SqlUse::table, *name);
  }
  if (std::ranges::none_of(kShown, [&](std::string_view word) { return is_plain(word); })) {
    return refuse(SqlRefusal::statement);
  }
  advance();
  while (is(SqlWord::from) || is(SqlWord::in)) {
    advance();
    const auto name = name_chain();
    if (!name || !use(SqlUse::table, *name)) return false;
  }
  return !take(SqlWord::like) || expect(SqlTokenKind::string);
}

/// `EXPLAIN` of a query. `ANALYZE` is refused, as it runs the query.
bool SqlReader::explain() {
  statement_.kind = SqlClass::explain;
  advance();
  if (has(SqlDialect::sqlite) && take_plain("query")) {
    if (!expect_plain("plan")) return false;
  } else if (has(SqlDialect::postgres)) {
    take_plain("verbose");
    if (is(SqlTokenKind::open) && word_ahead() != SqlWord::select && !explain_options()) {
      return false;
    }
  } else if (has(SqlDialect::mysql) && take_plain("format")) {
    if (!is_operation("=")) return unexpected();
    advance();
    if (!expect(SqlTokenKind::word)) return false;
  }
  if (is_command_word()) return refuse(SqlRefusal::statement);
  return is_query_start() ? query() : unexpected();
}

/// `(FORMAT JSON, COSTS off)`
bool SqlReader::explain_options() {
  advance();
  while (!is(SqlTokenKind::close)) {
    if (is_plain("analyze") || is_plain("analyse")) return refuse(SqlRefusal::statement);
    if (!is(SqlTokenKind::word) && !is(SqlTokenKind::comma)) return unexpected();
    advance();
  }
  advance();
  return true;
}

}  // namespace bartizan
