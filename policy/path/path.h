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

/// A glob of paths below a root, which stands for what it names and for all below that.
struct PathPattern {
  Glob glob;
  std::size_t components = 1;
};

/// `[path.NAME]`, compiled. Made without a root, it holds nothing.
struct PathRules {
  std::string root;  ///< Without a slash at its end.
  bool has_root = false;
  std::string base;
  PathConfig::Kind kind = PathConfig::Kind::any;
  std::vector<std::string> extensions;
  bool refuse_hidden = false;
  bool folds_case = false;
  bool refuse_windows_names = false;
  std::vector<PathPattern> allow;
  std::vector<PathPattern> deny;  ///< Folded, where case folds; so are the names.
  std::vector<Glob> deny_names;
  /// What tools may name that may write; a pattern that does not compile matches nothing.
  std::optional<std::vector<CompiledPattern>> writable;
  PathConfig::Resolve resolve = PathConfig::Resolve::lexical;
  PathConfig::Content content = PathConfig::Content::any;
};

PathRules compile_path_rules(const PathConfig& path);

/// Whether a path argument lies within the root, by components, from its text alone, and is what
/// else the rules ask for: `none`, or why it is refused.
///
/// The path is read as it stands and after one to three rounds of percent-decoding, each with and
/// without its backslashes as separators; every reading must pass, and one that could be decoded
/// further is refused, as are escapes of dots and backslashes, which no name needs. A relative path
/// starts from `base`, or from the directory in which the server runs; without either it is
/// refused, since nobody here knows what the server makes of it. Spellings that programs read in
/// different ways are refused (`is_ambiguous_path`). The root itself is inside. Where case folds,
/// what must be there is compared by its letters, and what must not be there by what it folds to.
/// With `resolve = "filesystem"`, what is on the disk is judged, too: as `facts` have it, where the
/// path and what any link makes of it lead, and, where the rules ask for it, whether a file there
/// is text. A path that is refused for its name is still looked through for a reading that leads
/// outside, which says more.
///
/// Cost:   linear, times the patterns, whose steps are taken from `facts`; memory only for paths
///         beyond some thousand bytes.
/// Source: CWE-22, CWE-41; CVE-2025-53110 (a prefix of the text is not a parent directory).
Reason judge_path(std::string_view path, const PathRules& rules, ValueFacts& facts);

/// Whether there is one way only to read a path: no escapes, no backslashes, no step back.
bool has_one_reading(std::string_view path, const PathRules& rules, std::string_view cwd);

/// Where a path leads, or what the file there holds, of which `judge_path` says that it is below
/// the root; null where nobody has asked. A path without one reading leads nobody knows
/// where.
const Finding* find_one(FactQuery::Kind kind, std::string_view path, const PathRules& rules,
                        ValueFacts& facts);

/// Why a path is refused of which nobody could tell where it leads, or what the file there holds.
/// Input: null for what is no answer to that.
Reason refuse_unknown(const NotFoundOut* unknown, ValueFacts& facts);

/// Whether a path that the rules refuse surely leads out of the root, for whoever reads it.
bool leads_elsewhere(std::string_view path, const PathRules& rules, std::string_view cwd);

}  // namespace bartizan
