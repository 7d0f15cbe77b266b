#include "schemas/schema/schema_pattern.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <re2/re2.h>

#include "schemas/regex/ecma_pattern.h"
#include "schemas/regex/look_around.h"

namespace bartizan {
namespace {

constexpr std::string_view kTooLarge = "a pattern that is too large";
constexpr std::string_view kLookAround = "look-around";

/// RE2 caches states while it matches, within a memory bound that includes the program. This leaves
/// room for the program in both directions, and for some states.
constexpr std::size_t kBytesPerInstruction = 48;
constexpr std::size_t kLeastBytes = std::size_t{64} << 10;
/// RE2's automaton reads a byte in 1.5 ns, so that a step is this many. If the automaton has too
/// many states, RE2 falls back to a simulation. There a byte costs up to 5 ns for each instruction,
/// and a step is this much of that. Where a pattern and a text are made for it, that is four times
/// the due cost. It leaves room for large classes, which no text makes that expensive (`make bench`
/// has both). A program costs by its size before it reads anything.
constexpr std::uint64_t kBytesPerMatchStep = 16;
constexpr std::uint64_t kWorkPerStep = 16;
constexpr std::uint64_t kInstructionsPerStep = 64;

std::unique_ptr<re2::RE2> compile(const std::string& translated, std::size_t bytes_max) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(static_cast<std::int64_t>(bytes_max));
  return std::make_unique<re2::RE2>(translated, options);
}

/// Compiles a translated pattern; `pattern` is its original spelling.
SchemaResult<CompiledPattern> compile_within(std::string_view pattern,
                                             const std::string& translated, std::size_t bytes_max) {
  std::unique_ptr<re2::RE2> compiled = compile(translated, bytes_max);
  if (!compiled->ok() && compiled->error_code() != re2::RE2::ErrorPatternTooLarge) {
    return flawed(SchemaFlaw::untranslatable_pattern, "", compiled->error());
  }
  const auto instructions = static_cast<std::size_t>(std::max(compiled->ProgramSize(), 1));
  const std::size_t memory = kLeastBytes + instructions * kBytesPerInstruction;
  if (!compiled->ok() || memory > bytes_max) {
    return flawed(SchemaFlaw::too_large, "", std::string(kTooLarge));
  }
  // Again with only the memory that it needs, because a hostile text can make it use all.
  compiled = compile(translated, memory);
  if (!compiled->ok()) return flawed(SchemaFlaw::too_large, "", std::string(kTooLarge));
  return CompiledPattern{.text = std::string(pattern),
                         .compiled = std::move(compiled),
                         .instructions = instructions,
                         .memory = memory};
}

/// Compiles a pattern without look-around.
SchemaResult<CompiledPattern> compile_plain(std::string_view pattern, std::size_t bytes_max) {
  const auto translated = translate_ecma_pattern(pattern);
  if (!translated.has_value()) {
    const bool is_large = translated.error() == kTooLarge;
    return flawed(is_large ? SchemaFlaw::too_large : SchemaFlaw::untranslatable_pattern, "",
                  translated.error());
  }
  auto compiled = compile_within(pattern, *translated, bytes_max);
  if (!compiled.has_value() && compiled.error().flaw == SchemaFlaw::untranslatable_pattern) {
    // RE2's message quotes the translation, which the author does not know.
    compiled.error().detail = "no pattern that RE2 knows";
  }
  return compiled;
}

/// Adds a part of a conjunction. All parts share the memory bound of one pattern.
SchemaResult<void> add_part(CompiledPattern& whole, std::string_view part, std::size_t bytes_max,
                            std::vector<std::shared_ptr<const re2::RE2>>& parts) {
  auto compiled = compile_plain(part, bytes_max);
  if (!compiled.has_value()) return std::unexpected(std::move(compiled).error());
  whole.instructions += compiled->instructions;
  whole.memory += compiled->memory;
  parts.push_back(std::move(compiled->compiled));
  if (whole.memory <= bytes_max) return {};
  return flawed(SchemaFlaw::too_large, "", std::string(kTooLarge));
}

/// Compiles the parts of a valid pattern with look-around. The last of `all` is the rest of the
/// pattern itself.
SchemaResult<CompiledPattern> compile_conjunction(std::string_view pattern,
                                                  const PatternConjunction& split,
                                                  std::size_t bytes_max) {
  auto whole = compile_plain(split.all.back(), bytes_max);
  if (!whole.has_value()) return whole;
  whole->text = pattern;
  for (const std::string& part : std::span(split.all).first(split.all.size() - 1)) {
    if (auto added = add_part(*whole, part, bytes_max, whole->also); !added) {
      return std::unexpected(std::move(added).error());
    }
  }
  for (const std::string& part : split.none) {
    if (auto added = add_part(*whole, part, bytes_max, whole->never); !added) {
      return std::unexpected(std::move(added).error());
    }
  }
  return whole;
}

bool holds(const re2::RE2& pattern, std::string_view text) {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), pattern);
}

}  // namespace

SchemaResult<CompiledPattern> compile_pattern(std::string_view pattern, std::size_t bytes_max) {
  auto plain = compile_plain(pattern, bytes_max);
  const bool is_sound = plain.has_value() || plain.error().detail != kLookAround;
  if (is_sound) return plain;
  const auto split = split_look_around(pattern);
  if (!split.has_value()) return plain;
  auto conjunction = compile_conjunction(pattern, *split, bytes_max);
  const bool is_large =
      !conjunction.has_value() && conjunction.error().flaw == SchemaFlaw::too_large;
  return conjunction.has_value() || is_large ? std::move(conjunction) : std::move(plain);
}

SchemaResult<CompiledPattern> compile_re2_pattern(const std::string& pattern,
                                                  std::size_t bytes_max) {
  return compile_within(pattern, pattern, bytes_max);
}

SchemaResult<CompiledPattern> compile_re2_search(const std::string& pattern,
                                                 std::size_t bytes_max) {
  auto within = compile_within(pattern, pattern, bytes_max);
  if (!within.has_value()) return within;
  std::unique_ptr<re2::RE2> compiled = compile(pattern, bytes_max);
  if (!compiled->ok()) return flawed(SchemaFlaw::too_large, "", std::string(kTooLarge));
  within->compiled = std::move(compiled);
  return within;
}

std::uint64_t match_steps(const CompiledPattern& pattern, std::size_t text_bytes) {
  return 1 + pattern.instructions / kInstructionsPerStep + text_bytes / kBytesPerMatchStep +
         text_bytes * pattern.instructions / kWorkPerStep;
}

bool holds_match(const CompiledPattern& pattern, std::string_view text) {
  const auto is_held = [text](const auto& part) { return holds(*part, text); };
  return holds(*pattern.compiled, text) && std::ranges::all_of(pattern.also, is_held) &&
         std::ranges::none_of(pattern.never, is_held);
}

std::optional<MatchRange> find_match(const CompiledPattern& pattern, std::string_view text,
                                     MatchRange within) {
  const re2::StringPiece whole(text.data(), text.size());
  re2::StringPiece found;
  if (!pattern.compiled->Match(whole, within.begin, within.end, re2::RE2::UNANCHORED, &found, 1)) {
    return std::nullopt;
  }
  const auto begin = static_cast<std::size_t>(found.data() - text.data());
  return MatchRange{begin, begin + found.size()};
}

bool find_groups(const CompiledPattern& pattern, std::string_view text, MatchRange within,
                 std::span<MatchRange> groups) {
  std::vector<re2::StringPiece> found(groups.size());
  const bool is_found =
      pattern.compiled->Match(re2::StringPiece(text.data(), text.size()), within.begin, within.end,
                              re2::RE2::UNANCHORED, found.data(), static_cast<int>(found.size()));
  if (!is_found) return false;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const char* const at = found[i].data();
    const auto begin = at == nullptr ? within.begin : static_cast<std::size_t>(at - text.data());
    groups[i] = {begin, begin + found[i].size()};
  }
  return true;
}

std::size_t group_count(const CompiledPattern& pattern) {
  return static_cast<std::size_t>(std::max(pattern.compiled->NumberOfCapturingGroups(), 0));
}

bool is_match(const CompiledPattern& pattern, std::string_view text) {
  return re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), *pattern.compiled);
}

}  // namespace bartizan
