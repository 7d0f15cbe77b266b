#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/position.h"

namespace bartizan {

/// `[path.NAME]`, with the keys inherited through `like`. Absent keys impose no condition.
struct PathConfig {
  std::string name = {};
  std::string root = {};  ///< Absolute, lexically normal. Required, here or by `like`.
  /// Absolute: the base of relative paths. Empty: the server's `cwd`.
  std::string base = {};
  enum class Kind : std::uint8_t { any, directory, file } kind = Kind::any;
  std::vector<std::string> extensions = {};  ///< Each with its dot; empty: any.
  bool refuse_hidden = false;  ///< `hidden = "refuse"`: refuses names that start with a dot.
  /// Globs below the root. Each covers the place that it names and everything below.
  std::vector<std::string> allow = {};       ///< Empty: everything.
  std::vector<std::string> deny = {};        ///< Takes precedence over `allow`.
  std::vector<std::string> deny_names = {};  ///< Globs of one name, anywhere in a path.
  /// Globs below the root, with `{date}`, `{YYYY-MM-DD}`, `{YYYYMMDD}` and `{nn}`. Tools that can
  /// write may name only these paths. Nothing: no condition. Empty: such tools may name no path.
  std::optional<std::vector<std::string>> writable = {};
  bool folds_case = false;  ///< `case = "fold"`: names that differ only by case are one file.
  /// `windows_names`: names with a special meaning on Windows. Refused by default if case folds.
  std::optional<bool> refuse_windows_names = {};
  /// The check uses the text alone, or also resolves the path on this machine's disk at the time of
  /// the call.
  enum class Resolve : std::uint8_t { lexical, filesystem } resolve = Resolve::lexical;
  /// The required content of a file that exists already. Any value except `any` needs `filesystem`.
  enum class Content : std::uint8_t { any, text } content = Content::any;
  Position where = {};
};

/// `path = "NAME"`: the value is a path that the `[path.NAME]` accepts.
struct PathPredicate {
  std::string path = {};  ///< Name of a `[path.…]`.
  bool operator==(const PathPredicate&) const = default;
};

/// `number = { min, max }`: a number in this range, inclusive.
struct NumberPredicate {
  /// JSON spellings, so that no precision is lost. Empty: no bound.
  std::string min = {}, max = {};
  bool operator==(const NumberPredicate&) const = default;
};

/// `one_of = [...]`: a value equal to one of these, by JSON equality.
struct OneOfPredicate {
  std::vector<std::string> values = {};  ///< Strings, numbers, `true` and `false`, each as JSON.
  bool operator==(const OneOfPredicate&) const = default;
};

/// Character classes by Unicode general category.
enum class CharacterClass : std::uint8_t {
  letters,      ///< L and M: letters and their combining marks.
  digits,       ///< Nd, in any script.
  punctuation,  ///< P
  symbols,      ///< S
  spaces,       ///< Zs
  tabs,         ///< U+0009
  line_ends,    ///< U+000A and U+000D
};

/// `text = { min_length, max_length, matches, classes, compact }`: conditions on a string.
struct TextPredicate {
  std::uint64_t min_length = 0;  ///< In code points.
  std::optional<std::uint64_t> max_length = {};
  std::string matches = {};  ///< RE2 on the whole value; empty: any.
  /// Each character must be in one of these; empty: any character.
  std::vector<CharacterClass> classes = {};
  /// Before the check, each run of white space with a tab or line end becomes one blank.
  bool compact = false;
  bool operator==(const TextPredicate&) const = default;
};

/// `absent = true`: the value must be absent.
struct AbsentPredicate {
  bool operator==(const AbsentPredicate&) const = default;
};

/// `fixed = VALUE`: the argument always has this value, whatever the client sends. Clients do not
/// see the argument.
struct FixedPredicate {
  std::string value = {};  ///< A string, number, `true` or `false`, as JSON.
  bool operator==(const FixedPredicate&) const = default;
};

/// Conditions on a URL. Everything that is not named is refused.
struct UrlForm {
  std::vector<std::string> schemes = {"https"};  ///< Lower case, without the colon.
  /// Patterns of `HostPattern`; required.
  std::vector<std::string> hosts = {};
  std::vector<std::uint16_t> ports = {};  ///< Empty: only the scheme's default port.
  /// `private_networks = "allow"`: also addresses of this machine and of networks outside the
  /// Internet.
  bool allow_private = false;
  /// `resolve = true`: names are looked up, and every address must be allowed.
  bool resolve = false;
  Position hosts_where = {};  ///< Not compared by `==`.

  bool operator==(const UrlForm& other) const {
    return schemes == other.schemes && hosts == other.hosts && ports == other.ports &&
           allow_private == other.allow_private && resolve == other.resolve;
  }
};

/// `[url.NAME]`
struct UrlConfig {
  std::string name = {};
  UrlForm form = {};
  Position where = {};
};

/// `url = "NAME"` or `url = { schemes, hosts, ports, private_networks }`: a URL of this form.
struct UrlPredicate {
  std::string name = {};  ///< The `[url.…]` with the form; empty: the predicate's own form.
  UrlForm form = {};
  bool operator==(const UrlPredicate&) const = default;
};

/// Conditions on a command. Everything that is not named is refused.
struct CommandForm {
  std::vector<std::string> programs = {};  ///< Names, or absolute paths; required.
  /// Program → RE2 patterns. Each argument of the program must match one of them as a whole. A
  /// program without patterns accepts any argument.
  std::map<std::string, std::vector<std::string>> arguments = {};
  std::vector<std::string> environment = {};  ///< Variables that the command may set for a program.
  /// `syntax = [...]`: shell syntax that is allowed in addition to words and quotes.
  bool allow_pipes = false, allow_sequences = false, allow_redirections = false;
  bool allow_substitution = false, allow_variables = false, allow_globs = false;
  bool allow_sudo = false;  ///< `sudo = "allow"`; the program after it is judged too.
  /// The value is the arguments of this program instead of a command. Empty: it is a command.
  std::string arguments_of = {};
  bool operator==(const CommandForm&) const = default;
};

/// `[command.NAME]`
struct CommandConfig {
  std::string name = {};
  CommandForm form = {};
  Position where = {};
};

/// `command = "NAME"`: a command of this form. The value is a string for a shell, or an array of
/// words.
struct CommandPredicate {
  std::string name = {};  ///< The `[command.…]` with the form.
  CommandForm form = {};
  bool operator==(const CommandPredicate&) const = default;
};

/// The grammar for reading a statement.
enum class SqlDialect : std::uint8_t { ansi, mysql, postgres, sqlite };

/// The classes of statements that can be permitted. Every other statement is only known to be one.
enum class SqlClass : std::uint8_t {
  select,   ///< `SELECT`, `VALUES`, `TABLE`, also after `WITH` and in parentheses.
  show,     ///< `SHOW` of PostgreSQL and MySQL.
  explain,  ///< `EXPLAIN` of a query, without executing it.
};

/// Conditions on a SQL statement. Everything that is not named is refused.
struct SqlForm {
  SqlDialect dialect = SqlDialect::ansi;  ///< Required.
  std::vector<SqlClass> statements = {SqlClass::select};
  /// Patterns of `SqlNamePattern`, here and below; required.
  std::vector<std::string> tables = {};
  std::vector<std::string> deny_tables = {};  ///< Takes precedence over `tables`.
  /// Nothing: functions that only compute a value.
  std::optional<std::vector<std::string>> functions = {};
  std::vector<std::string> deny_functions = {};
  bool allow_comments = false;  ///< `comments = "allow"`.
  /// `first_byte = "keyword"`: the first byte is a letter. Default "any".
  bool begins_with_letter = false;
  Position tables_where = {};  ///< Not compared by `==`, like the other positions.
  Position deny_tables_where = {};
  Position functions_where = {};
  Position deny_functions_where = {};

  bool operator==(const SqlForm& other) const {
    return dialect == other.dialect && statements == other.statements && tables == other.tables &&
           deny_tables == other.deny_tables && functions == other.functions &&
           deny_functions == other.deny_functions && allow_comments == other.allow_comments &&
           begins_with_letter == other.begins_with_letter;
  }
};

/// `[sql.NAME]`
struct SqlConfig {
  std::string name = {};
  SqlForm form = {};
  Position where = {};
};

/// `sql = "NAME"` or `sql = { dialect, tables, … }`: one statement of this form.
struct SqlPredicate {
  std::string name = {};  ///< The `[sql.…]` with the form; empty: the predicate's own form.
  SqlForm form = {};
  bool operator==(const SqlPredicate&) const = default;
};

/// `digest = { sha256, path }`: a string or a file with one of these digests.
struct DigestPredicate {
  std::vector<std::string> sha256 = {};  ///< Each 64 digits of lower-case hex; required.
  /// The `[path.…]` of a value that names a file, whose content is checked. Empty: the value itself
  /// is checked.
  std::string path = {};
  bool operator==(const DigestPredicate&) const = default;
};

using Predicate =
    std::variant<PathPredicate, NumberPredicate, OneOfPredicate, TextPredicate, AbsentPredicate,
                 UrlPredicate, SqlPredicate, CommandPredicate, FixedPredicate, DigestPredicate>;

/// The name of the predicate's `[path.…]`, or empty. Lifetime: views the predicate.
inline std::string_view path_name(const Predicate& predicate) {
  if (const auto* path = std::get_if<PathPredicate>(&predicate)) return path->path;
  const auto* digest = std::get_if<DigestPredicate>(&predicate);
  return digest == nullptr ? std::string_view() : std::string_view(digest->path);
}

/// One predicate on the values that a pointer selects in a tool's arguments.
struct ArgumentPredicate {
  /// RFC 6901 into `arguments`. A segment `*` selects the elements of an array.
  std::string pointer = {};
  Predicate predicate = {};
  bool optional = false;  ///< A missing member or an empty array passes.
  Position where = {};
};

}  // namespace bartizan
