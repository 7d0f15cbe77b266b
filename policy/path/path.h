#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "policy/text/match.h"
#include "policy/verdict/reason.h"
#include "policy/verdict/value_facts.h"
#include "schemas/schema/schema_program.h"

namespace bartizan {

/// A glob of paths below a root. It stands for the paths that it matches and for all paths below
/// them.
struct PathPattern {
  Glob glob;
  std::size_t components = 1;
};

/// `[path.NAME]`, compiled. Without a root, it accepts nothing.
struct PathRules {
  std::string root;  ///< Without a trailing slash.
  bool has_root = false;
  std::string base;
  PathConfig::Kind kind = PathConfig::Kind::any;
  std::vector<std::string> extensions;
  bool refuse_hidden = false;
  bool folds_case = false;
  bool refuse_windows_names = false;
  std::vector<PathPattern> allow;
  std::vector<PathPattern> deny;  ///< Folded if case folds, like the names below.
  std::vector<Glob> deny_names;
  /// The names for tools that may write. A pattern that does not compile matches nothing.
  std::optional<std::vector<CompiledPattern>> writable;
  PathConfig::Resolve resolve = PathConfig::Resolve::lexical;
  PathConfig::Content content = PathConfig::Content::any;
};

PathRules compile_path_rules(const PathConfig& path);

/// Whether a path argument lies within the root and meets the other rules: `none`, or the reason of
/// the refusal. It compares components of the text alone.
///
/// The path is read as it stands and after one to three rounds of percent-decoding. Each reading is
/// taken with and without its backslashes as separators, and all must pass. A path that could be
/// decoded further is refused, and so are escapes of dots and backslashes, which no name needs. A
/// relative path starts from `base`, or from the server's working directory. It is refused without
/// either, since its place is then unknown. Spellings that programs read differently are refused
/// (`is_ambiguous_path`). The root itself is inside. If case folds, required names are compared by
/// their letters, and forbidden names by their folded form. With `resolve = "filesystem"`, the disk
/// is judged, too, from `facts`: the place to which the path and each link lead, and, if the rules
/// ask for it, whether the file is text. A path that is refused for its name is still searched for
/// a reading outside of the root, which is the more precise reason.
///
/// Cost:   linear, times the patterns, whose steps are taken from `facts`; memory only for paths
///         beyond some thousand bytes.
/// Source: CWE-22, CWE-41; CVE-2025-53110 (a prefix of the text is not a parent directory).
Reason judge_path(std::string_view path, const PathRules& rules, ValueFacts& facts);

/// Whether a path has only one reading: no escapes, no backslashes, no step back.
bool has_one_reading(std::string_view path, const PathRules& rules, std::string_view cwd);

/// The finding about the place to which a path leads, or about the contents of the file there. Null
/// if the fact was not gathered. `NotFoundOut` if the path has more than one reading or leads out
/// of the root. Input: a path that `judge_path` accepts as below the root.
const Finding* find_one(FactQuery::Kind kind, std::string_view path, const PathRules& rules,
                        ValueFacts& facts);

/// The reason to refuse a path whose place or contents could not be found out. Input: null if there
/// is no answer.
Reason refuse_unknown(const NotFoundOut* unknown, ValueFacts& facts);

/// Whether a refused path leads out of the root in every reading.
bool leads_elsewhere(std::string_view path, const PathRules& rules, std::string_view cwd);

}  // namespace bartizan
