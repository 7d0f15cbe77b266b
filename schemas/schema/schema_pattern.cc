#include "schemas/schema/schema_pattern.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <re2/re2.h>

#include "schemas/regex/ecma_pattern.h"

namespace bartizan {
namespace {

constexpr std::string_view kTooLarge = "a pattern that is too large";

/// RE2 keeps what it learns while it matches within a bound of its own, a part of which the program
/// takes: so much leaves room for both directions of it, and for some states.
constexpr std::size_t kBytesPerInstruction = 48;
constexpr std::size_t kLeastBytes = std::size_t{64} << 10;
/// RE2's automaton reads a byte in 1.5 ns, so that a step is so many. Where it would have too many
/// states RE2 falls back to a simulation, in which a byte costs up to 5 ns for each instruction: a
/// step is so much of that, which is four times its due where a pattern and a text are made for it,
/// and leaves room for large classes, which cost that much by no text (`make bench` has both). A
/// program costs by its size before it reads anything.
constexpr std::uint64_t kBytesPerMatchStep = 16;
constexpr std::uint64_t kWorkPerStep = 16;
constexpr std::uint64_t kInstructionsPerStep = 64;

std::unique_ptr<re2::RE2> compile(const std::string& translated, std::size_t bytes_max) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(static_cast<std::int64_t>(bytes_max));
  return std::make_unique<re2::RE2>(translated, options);
}

/// Compiles what RE2 has been given, which `pattern` is the spelling of.
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
  // Again, within what it needs, since a hostile text can make it use all that it may.
  compiled = compile(translated, memory);
  if (!compiled->ok()) return flawed(SchemaFlaw::too_large, "", std::string(kTooLarge));
  return CompiledPattern{.text = std::string(pattern),
                         .compiled = std::move(compiled),
                         .instructions = instructions,
                         .memory = memory};
}

}  // namespace

SchemaResult<CompiledPattern> compile_pattern(std::string_view pattern, std::size_t bytes_max) {
  const auto translated = translate_ecma_pattern(pattern);
  if (!translated.has_value()) {
    const bool is_large = translated.error() == kTooLarge;
    return flawed(is_large ? SchemaFlaw::too_large : SchemaFlaw::untranslatable_pattern, "",
                  translated.error());
  }
  auto compiled = compile_within(pattern, *translated, bytes_max);
  if (!compiled.has_value() && compiled.error().flaw == SchemaFlaw::untranslatable_pattern) {
    // What RE2 says quotes the translation, which nobody wrote.
    compiled.error().detail = "no pattern that RE2 knows";
  }
  return compiled;
}

SchemaResult<CompiledPattern> compile_re2_pattern(const std::string& pattern,
                                                  std::size_t bytes_max) {
  return compile_within(pattern, pattern, bytes_max);
}

std::uint64_t match_steps(const CompiledPattern& pattern, std::size_t text_bytes) {
  return 1 + pattern.instructions / kInstructionsPerStep + text_bytes / kBytesPerMatchStep +
         text_bytes * pattern.instructions / kWorkPerStep;
}

bool holds_match(const CompiledPattern& pattern, std::string_view text) {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *pattern.compiled);
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

bool is_match(const CompiledPattern& pattern, std::string_view text) {
  return re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), *pattern.compiled);
}

}  // namespace bartizan
