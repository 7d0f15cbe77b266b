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

/// `[path.NAME]`, with all that a `like` lends it. What is not said is not asked.
struct PathConfig {
  std::string name = {};
  std::string root = {};  ///< Absolute, lexically normal; required, or that of a `like`.
  /// Absolute: where relative paths start. Empty: in the `cwd` of the server.
  std::string base = {};
  enum class Kind : std::uint8_t { any, directory, file } kind = Kind::any;
  std::vector<std::string> extensions = {};  ///< Each with its dot; empty is any.
  bool refuse_hidden = false;                ///< `hidden = "refuse"`: names with a dot in front.
  /// Globs below the root; each stands for what it names and for all below that.
  std::vector<std::string> allow = {};       ///< Empty is everything.
  std::vector<std::string> deny = {};        ///< Even where `allow` has it.
  std::vector<std::string> deny_names = {};  ///< Globs of one name, wherever it stands in a path.
  /// Globs below the root with `{date}`, `{YYYY-MM-DD}`, `{YYYYMMDD}` and `{nn}`: what tools may
  /// name that may write. Nothing asks nothing, an empty list lets such tools name nothing.
  std::optional<std::vector<std::string>> writable = {};
  bool folds_case = false;  ///< `case = "fold"`: names that differ by case alone are one file.
  /// `windows_names`: names that mean more to Windows. Refused by default where case folds.
  std::optional<bool> refuse_windows_names = {};
  /// By the text alone, or also by where it leads on this machine's disk at the time of the call.
  enum class Resolve : std::uint8_t { lexical, filesystem } resolve = Resolve::lexical;
  /// What a file has to hold that is there already. Anything else than `any` needs `filesystem`.
  enum class Content : std::uint8_t { any, text } content = Content::any;
  Position where = {};
};

/// `path = "NAME"`: the value is a path inside that place.
struct PathPredicate {
  std::string path = {};  ///< Name of a `[path.…]`.
  bool operator==(const PathPredicate&) const = default;
};

/// `number = { min, max }`: a number of that range, both ends included.
struct NumberPredicate {
  /// As JSON spells them, so that nothing is lost; empty is no bound.
  std::string min = {}, max = {};
  bool operator==(const NumberPredicate&) const = default;
};

/// `one_of = [...]`: a value that equals one of these, as JSON has it.
struct OneOfPredicate {
  std::vector<std::string> values = {};  ///< Strings, numbers, `true` and `false`, each as JSON.
  bool operator==(const OneOfPredicate&) const = default;
};

/// What a character is, by Unicode's general categories.
enum class CharacterClass : std::uint8_t {
  letters,      ///< L and M: letters, and the marks that belong to them.
  digits,       ///< Nd, of any script.
  punctuation,  ///< P
  symbols,      ///< S
  spaces,       ///< Zs
  tabs,         ///< U+0009
  line_ends,    ///< U+000A and U+000D
};

/// `text = { min_length, max_length, matches, classes, compact }`: a string of that form.
struct TextPredicate {
  std::uint64_t min_length = 0;  ///< In characters, that is, code points.
  std::optional<std::uint64_t> max_length = {};
  std::string matches = {};  ///< In RE2's syntax, of the whole value; empty for any.
  /// Each character is of one of these; empty for any character.
  std::vector<CharacterClass> classes = {};
  /// Before it is judged, a run of white space with a tab or the end of a line becomes one blank.
  bool compact = false;
  bool operator==(const TextPredicate&) const = default;
};

/// `absent = true`: there is no such value.
struct AbsentPredicate {
  bool operator==(const AbsentPredicate&) const = default;
};

/// `fixed = VALUE`: the value is this one, whatever the client sends, and clients do not see that
/// there is such an argument.
struct FixedPredicate {
  std::string value = {};  ///< A string, number, `true` or `false`, as JSON.
  bool operator==(const FixedPredicate&) const = default;
};

/// What a URL must say. What is not named is refused.
struct UrlForm {
  std::vector<std::string> schemes = {"https"};  ///< Lower case, without the colon.
  /// Patterns as `HostPattern` has them; required.
  std::vector<std::string> hosts = {};
  std::vector<std::uint16_t> ports = {};  ///< Empty: the port of the scheme alone.
  /// `private_networks = "allow"`: also the machine itself, and what is not of the Internet.
  bool allow_private = false;
  /// `resolve = true`: names are looked up, and every address must be one that may be reached.
  bool resolve = false;
  Position hosts_where = {};  ///< No part of what is said.

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

/// `url = "NAME"` or `url = { schemes, hosts, ports, private_networks }`: a URL of that form.
struct UrlPredicate {
  std::string name = {};  ///< Of a `[url.…]`, whose form this one has; empty for one of its own.
  UrlForm form = {};
  bool operator==(const UrlPredicate&) const = default;
};

/// What a command must be. What is not named is refused.
struct CommandForm {
  std::vector<std::string> programs = {};  ///< Names, or absolute paths; required.
  /// By program, patterns in RE2's syntax, one of which each of its arguments matches as a whole.
  /// One without patterns takes any argument.
  std::map<std::string, std::vector<std::string>> arguments = {};
  std::vector<std::string> environment = {};  ///< Variables that may be set for a program.
  /// `syntax = [...]`: what of the shell's may be there beside words and quotes.
  bool allow_pipes = false, allow_sequences = false, allow_redirections = false;
  bool allow_substitution = false, allow_variables = false, allow_globs = false;
  bool allow_sudo = false;  ///< `sudo = "allow"`; what it runs is judged, too.
  /// The program whose arguments the value is, in place of a command; empty for a command.
  std::string arguments_of = {};
  bool operator==(const CommandForm&) const = default;
};

/// `[command.NAME]`
struct CommandConfig {
  std::string name = {};
  CommandForm form = {};
  Position where = {};
};

/// `command = "NAME"`: a string that a shell would read, or an array of words, of that form.
struct CommandPredicate {
  std::string name = {};  ///< Of a `[command.…]`, whose form this one has.
  CommandForm form = {};
  bool operator==(const CommandPredicate&) const = default;
};

/// Whose grammar a statement is read by.
enum class SqlDialect : std::uint8_t { ansi, mysql, postgres, sqlite };

/// The statements that are read; of every other only that it is one is known.
enum class SqlClass : std::uint8_t {
  select,   ///< `SELECT`, `VALUES`, `TABLE`, also behind `WITH` and in parentheses.
  show,     ///< `SHOW`, as PostgreSQL and MySQL have it.
  explain,  ///< `EXPLAIN` of a query, without running it.
};

/// What a SQL statement must be. What is not named is refused.
struct SqlForm {
  SqlDialect dialect = SqlDialect::ansi;  ///< Required.
  std::vector<SqlClass> statements = {SqlClass::select};
  /// Patterns as `SqlNamePattern` has them, here and below; required.
  std::vector<std::string> tables = {};
  std::vector<std::string> deny_tables = {};  ///< Even where `tables` has them.
  /// Nothing: those that only compute a value.
  std::optional<std::vector<std::string>> functions = {};
  std::vector<std::string> deny_functions = {};
  bool allow_comments = false;  ///< `comments = "allow"`.
  /// `first_byte = "keyword"`: begins with a letter, at once. Default "any".
  bool begins_with_letter = false;
  Position tables_where = {};  ///< As the other places, no part of what is said.
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

/// `sql = "NAME"` or `sql = { dialect, tables, … }`: one statement of that form.
struct SqlPredicate {
  std::string name = {};  ///< Of a `[sql.…]`, whose form this one has; empty for one of its own.
  SqlForm form = {};
  bool operator==(const SqlPredicate&) const = default;
};

/// `digest = { sha256, path }`: a string, or a file, with one of these digests.
struct DigestPredicate {
  std::vector<std::string> sha256 = {};  ///< Each 64 digits of lower-case hex; required.
  /// The `[path.…]` of which the value names a file, whose content is meant; empty for the value.
  std::string path = {};
  bool operator==(const DigestPredicate&) const = default;
};

using Predicate =
    std::variant<PathPredicate, NumberPredicate, OneOfPredicate, TextPredicate, AbsentPredicate,
                 UrlPredicate, SqlPredicate, CommandPredicate, FixedPredicate, DigestPredicate>;

/// The `[path.…]` that a predicate names; empty for one that names none.
inline std::string_view path_name(const Predicate& predicate) {
  if (const auto* path = std::get_if<PathPredicate>(&predicate)) return path->path;
  const auto* digest = std::get_if<DigestPredicate>(&predicate);
  return digest == nullptr ? std::string_view() : std::string_view(digest->path);
}

/// One predicate on the values that a pointer selects in a tool's arguments.
struct ArgumentPredicate {
  std::string pointer =
      {};  ///< RFC 6901 into `arguments`; a segment `*` selects the elements of an array.
  Predicate predicate = {};
  bool optional = false;  ///< A missing member or an empty array passes.
  Position where = {};
};

}  // namespace bartizan
