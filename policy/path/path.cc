#include "policy/path/path.h"

#include <algorithm>
#include <array>
#include <memory_resource>
#include <utility>

#include "policy/path/path_components.h"
#include "policy/path/path_places.h"
#include "policy/path/path_spelling.h"
#include "policy/path/path_walk.h"
#include "policy/path/windows_names.h"
#include "policy/text/fold_name.h"
#include "schemas/base/contains.h"
#include "schemas/base/limits.h"
#include "schemas/schema/schema_pattern.h"

namespace bartizan {
namespace {

using Kind = PathConfig::Kind;
using Resolve = PathConfig::Resolve;
using Content = PathConfig::Content;

/// The most rounds of percent-decoding that a chain of careless programs may do.
constexpr int kDecodingRoundsMax = 3;

/// The bytes of text that a glob matches in one step, as for patterns.
constexpr std::size_t kBytesPerStep = 16;

/// Stack memory for the readings of one path. Paths without escapes need no more.
class Room {
 public:
  std::pmr::memory_resource* memory() { return &memory_; }

 private:
  std::array<std::byte, 8192> bytes_;
  std::pmr::monotonic_buffer_resource memory_{bytes_.data(), bytes_.size()};
};

std::string_view last_component(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// Whether a path is `a/`, `a/.` or the like, which no file name is.
bool names_directory(std::string_view path) {
  const std::string_view last = last_component(path);
  return last.empty() || last == "." || last == "..";
}

/// The first components; nothing for a path with fewer.
std::optional<std::string_view> first_components(std::string_view path, std::size_t count) {
  if (path.empty()) return std::nullopt;
  std::size_t end = 0;
  for (; count > 0; --count) {
    if (end == path.size()) return std::nullopt;
    end = std::min(path.find('/', end + (end == 0 ? 0 : 1)), path.size());
  }
  return path.substr(0, end);
}

/// Whether a path has no escapes and no separators for any program.
bool is_plainly_spelled(std::string_view path) {
  return !path.contains('%') && !path.contains('\\');
}

/// The finding about a name below the root. A question that was not asked yet is noted.
const Finding* look(FactQuery::Kind kind, const PathRules& rules, std::string_view name,
                    ValueFacts& facts) {
  const std::string_view root = rules.root.empty() ? "/" : std::string_view(rules.root);
  return facts.look(kind, root, name);
}

/// Judges one reading of a path.
class Reading {
 public:
  Reading(std::string_view path, const PathRules& rules, ValueFacts& facts)
      : path_(path), rules_(rules), facts_(facts) {}

  Reason judge() {
    if (is_ambiguous_path(path_)) return Reason::path_malformed;
    const std::string_view base = base_of();
    if (starts_nowhere(path_, base)) return Reason::path_relative;
    const std::pmr::string place = place_of(path_, base, room_.memory());
    const auto inside = rules_.has_root ? below(place, rules_.root) : std::nullopt;
    if (!inside) return Reason::path_outside_root;
    const Reason reason = judge_inside(*inside);
    const bool is_settled = reason != Reason::none || rules_.resolve == Resolve::lexical;
    return is_settled ? reason : judge_on_disk(*inside, base);
  }

  /// Whether the text of this reading leads out of the root.
  bool leads_outside() {
    if (is_ambiguous_path(path_) || starts_nowhere(path_, base_of())) return false;
    return !rules_.has_root ||
           !below(place_of(path_, base_of(), room_.memory()), rules_.root).has_value();
  }

 private:
  std::string_view base_of() const {
    return rules_.base.empty() ? facts_.cwd : std::string_view(rules_.base);
  }

  Reason judge_inside(std::string_view inside) {
    const Reason reason = judge_kind(inside);
    if (reason != Reason::none) return reason;
    if (!rules_.folds_case) return judge_names(inside, inside);
    const auto folded = fold_name(inside, room_.memory());
    return folded ? judge_names(inside, *folded) : Reason::argument_undecidable;
  }

  /// A program may remove `a/..` before it opens a path, or follow the link `a` first. Both results
  /// must pass.
  Reason judge_on_disk(std::string_view inside, std::string_view base) {
    const Reason reason = judge_place(inside);
    if (reason != Reason::none) return reason;
    const bool is_relative = !path_.starts_with('/');
    if (!climbs(path_) && !(is_relative && climbs(base))) return Reason::none;
    std::pmr::string spelled(is_relative ? base : path_, room_.memory());
    if (is_relative) spelled.append("/").append(path_);
    const auto walk = walk_below(spelled, rules_.root, room_.memory());
    return walk ? judge_place(*walk) : Reason::path_malformed;
  }

  Reason judge_place(std::string_view name) {
    const Finding* finding = look(FactQuery::Kind::place, rules_, name, facts_);
    if (finding == nullptr) return facts_.is_open ? Reason::none : Reason::argument_undecidable;
    const auto* found = std::get_if<FoundPlace>(finding);
    if (found == nullptr) return refuse_unknown(std::get_if<NotFoundOut>(finding), facts_);
    if (found->where == FoundPlace::Where::outside) {
      return facts_.refuse(Reason::path_outside_root, OutsideRefusal::leads_out);
    }
    if (found->where == FoundPlace::Where::inside) {
      const Reason reason = judge_found(*found, name);
      if (reason != Reason::none) return reason;
    }
    // The target of a link must have allowed names, too.
    if (found->leads_to) {
      const Reason reason = judge_inside(*found->leads_to);
      if (reason != Reason::none) return facts_.refuse(reason, OutsideRefusal::target_refused);
    }
    return judge_text(*found, name);
  }

  Reason judge_found(const FoundPlace& found, std::string_view name) {
    const bool is_file = found.kind == FoundPlace::Kind::file;
    const bool is_directory = found.kind == FoundPlace::Kind::directory;
    const bool fits =
        (is_file && rules_.kind != Kind::directory) || (is_directory && rules_.kind != Kind::file);
    if (!fits) {
      return facts_.refuse(Reason::path_not_allowed, is_file        ? OutsideRefusal::is_file
                                                     : is_directory ? OutsideRefusal::is_directory
                                                                    : OutsideRefusal::is_neither);
    }
    if (!is_file || rules_.extensions.empty()) return Reason::none;
    const std::string_view last =
        last_component(found.leads_to ? std::string_view(*found.leads_to) : name);
    if (has_extension(last)) return Reason::none;
    const auto because = found.leads_to ? OutsideRefusal::target_refused : OutsideRefusal::none;
    return facts_.refuse(Reason::path_extension_not_allowed, because);
  }

  /// Judges the contents of an existing file. A missing file has no contents to refuse.
  Reason judge_text(const FoundPlace& found, std::string_view name) {
    const bool is_file =
        found.where == FoundPlace::Where::inside && found.kind == FoundPlace::Kind::file;
    if (!is_file || rules_.content == Content::any) return Reason::none;
    const Finding* finding = look(FactQuery::Kind::text, rules_, name, facts_);
    if (finding == nullptr) return facts_.is_open ? Reason::none : Reason::argument_undecidable;
    const auto* text = std::get_if<FoundText>(finding);
    if (text == nullptr) return refuse_unknown(std::get_if<NotFoundOut>(finding), facts_);
    if (text->is_text) return Reason::none;
    return facts_.refuse(Reason::path_not_text, OutsideRefusal::is_binary);
  }

  bool has_extension(std::string_view name) const {
    return std::ranges::any_of(
        rules_.extensions, [&](const std::string& extension) { return name.ends_with(extension); });
  }

  Reason judge_kind(std::string_view inside) const {
    if (rules_.kind == Kind::directory) return Reason::none;
    const bool is_file = rules_.kind == Kind::file;
    if (is_file && (inside.empty() || names_directory(path_))) return Reason::path_not_allowed;
    if (rules_.extensions.empty()) return Reason::none;
    const std::string_view last = last_component(inside);
    if (!is_file && !last.contains('.')) return Reason::none;
    return has_extension(last) ? Reason::none : Reason::path_extension_not_allowed;
  }

  /// Input: `names`, the names that the file system may use.
  Reason judge_names(std::string_view inside, std::string_view names) {
    if (rules_.refuse_windows_names && path_.starts_with("//")) return Reason::path_malformed;
    Components components(names);
    while (const auto component = components.next()) {
      const Reason reason = judge_name(*component);
      if (reason != Reason::none) return reason;
    }
    Reason reason = Reason::none;
    if (!rules_.allow.empty()) reason = judge_allowed(inside);
    if (reason == Reason::none) reason = judge_denied(names);
    return reason == Reason::none ? judge_writable(inside) : reason;
  }

  Reason judge_name(std::string_view name) {
    if (rules_.refuse_windows_names && is_special_on_windows(name)) return Reason::path_malformed;
    if (rules_.refuse_hidden && name.starts_with('.')) return Reason::path_not_allowed;
    for (const Glob& glob : rules_.deny_names) {
      if (!take(name)) return Reason::argument_undecidable;
      if (glob.matches(name)) return Reason::path_not_allowed;
    }
    return Reason::none;
  }

  Reason judge_allowed(std::string_view inside) {
    for (const PathPattern& pattern : rules_.allow) {
      if (!take(inside)) return Reason::argument_undecidable;
      if (matches(pattern, inside)) return Reason::none;
    }
    return Reason::path_not_allowed;
  }

  Reason judge_denied(std::string_view names) {
    for (const PathPattern& pattern : rules_.deny) {
      if (!take(names)) return Reason::argument_undecidable;
      if (matches(pattern, names)) return Reason::path_not_allowed;
    }
    return Reason::none;
  }

  Reason judge_writable(std::string_view inside) {
    if (!rules_.writable || facts_.effect == ToolEffect::reads) return Reason::none;
    // No pattern is meant to match the root, though `*` would.
    if (inside.empty()) return Reason::path_not_allowed;
    for (const CompiledPattern& pattern : *rules_.writable) {
      if (!facts_.steps.take(match_steps(pattern, inside.size()))) {
        return Reason::argument_undecidable;
      }
      if (is_match(pattern, inside)) return Reason::none;
    }
    return Reason::path_not_allowed;
  }

  static bool matches(const PathPattern& pattern, std::string_view path) {
    const auto head = first_components(path, pattern.components);
    return head && pattern.glob.matches(*head);
  }

  bool take(std::string_view text) { return facts_.steps.take(1 + text.size() / kBytesPerStep); }

  std::string_view path_;
  const PathRules& rules_;
  ValueFacts& facts_;
  Room room_;
};

enum class Backslashes : std::uint8_t { as_they_are, folded };

/// Whether one of the readings that `judge_readings` judges leads outside.
bool has_outer_reading(std::pmr::string path, Backslashes backslashes, int rounds,
                       const PathRules& rules, ValueFacts& facts) {
  for (; rounds >= 0; --rounds) {
    if (Reading(path, rules, facts).leads_outside()) return true;
    if (backslashes == Backslashes::as_they_are && path.contains('\\')) {
      std::pmr::string folded = path;
      std::ranges::replace(folded, '\\', '/');
      if (has_outer_reading(std::move(folded), Backslashes::folded, rounds, rules, facts)) {
        return true;
      }
    }
    if (decode_escapes(path) == Decoded::nothing) return false;
  }
  return false;
}

/// Whether a path is refused for a name or kind in one reading alone.
bool is_about_names(Reason reason) {
  return reason == Reason::path_extension_not_allowed || reason == Reason::path_not_allowed;
}

/// Judges a path, its forms after up to `rounds` of decoding, and each of these with its
/// backslashes as separators from there on. A program may convert them before it decodes, or after.
Reason judge_readings(std::pmr::string path, Backslashes backslashes, int rounds,
                      const PathRules& rules, ValueFacts& facts) {
  Reason otherwise = Reason::none;
  while (true) {
    const Reason reason = Reading(path, rules, facts).judge();
    if (reason != Reason::none) return reason;
    if (backslashes == Backslashes::as_they_are && path.contains('\\')) {
      std::pmr::string folded = path;
      std::ranges::replace(folded, '\\', '/');
      const Reason other =
          judge_readings(std::move(folded), Backslashes::folded, rounds, rules, facts);
      if (other != Reason::none) return other;
    }
    const Decoded decoded = decode_escapes(path);
    if (decoded == Decoded::nothing) return otherwise;
    // A reading outside of the root is the more precise reason, so it is searched first.
    if (decoded == Decoded::odd) otherwise = Reason::path_malformed;
    if (--rounds < 0) return Reason::path_malformed;
  }
}

/// Judges each reading. A reading outside of the root is a more precise reason than a refused name
/// in another reading.
Reason judge_each_reading(std::pmr::string path, const PathRules& rules, ValueFacts& facts) {
  const Reason reason = judge_readings(std::pmr::string(path, path.get_allocator()),
                                       Backslashes::as_they_are, kDecodingRoundsMax, rules, facts);
  const bool leads_out =
      is_about_names(reason) && has_outer_reading(std::move(path), Backslashes::as_they_are,
                                                  kDecodingRoundsMax, rules, facts);
  return leads_out ? facts.refuse(Reason::path_outside_root, OutsideRefusal::none) : reason;
}

/// Whether a path may lead anywhere in spite of its text: through links that the kernel has for
/// every process, over the network, or back out of a folder that is a link.
bool may_lead_anywhere(std::string_view path, std::string_view place) {
  constexpr std::array<std::string_view, 2> kLinked{"/proc", "/dev"};
  if (path.starts_with("//")) return true;
  if (std::ranges::any_of(kLinked,
                          [&](std::string_view root) { return below(place, root).has_value(); })) {
    return true;
  }
  return climbs(path);
}

}  // namespace

Reason judge_path(std::string_view path, const PathRules& rules, ValueFacts& facts) {
  // Longer paths are refused for their length.
  constexpr std::size_t kComposedBytesMax = 16'384;
  Room room;
  // macOS spells names decomposed. File systems that fold case treat them like the composed ones.
  if (rules.folds_case && path.size() <= kComposedBytesMax) {
    if (auto composed = composed_name(path, room.memory())) {
      return judge_each_reading(*std::move(composed), rules, facts);
    }
  }
  if (is_plainly_spelled(path)) return Reading(path, rules, facts).judge();
  return judge_each_reading(std::pmr::string(path, room.memory()), rules, facts);
}

Reason refuse_unknown(const NotFoundOut* unknown, ValueFacts& facts) {
  using Why = NotFoundOut::Why;
  const Why why = unknown == nullptr ? Why::unanswered : unknown->why;
  switch (why) {
    case Why::unanswered:
      return Reason::path_unresolved;
    case Why::not_reachable:
      return facts.refuse(Reason::path_unreachable, OutsideRefusal::not_reachable);
    case Why::leads_nowhere:
      return facts.refuse(Reason::path_unreachable, OutsideRefusal::leads_nowhere);
    case Why::leads_in_circles:
      return facts.refuse(Reason::path_unreachable, OutsideRefusal::leads_in_circles);
    case Why::not_readable:
      return facts.refuse(Reason::path_unreachable, OutsideRefusal::not_readable);
    case Why::too_long:
      return facts.refuse(Reason::path_unreachable, OutsideRefusal::too_long);
  }
  std::unreachable();
}

bool has_one_reading(std::string_view path, const PathRules& rules, std::string_view cwd) {
  const std::string_view base = rules.base.empty() ? cwd : std::string_view(rules.base);
  const bool is_relative = !path.starts_with('/');
  return is_plainly_spelled(path) && !climbs(path) && !(is_relative && climbs(base)) &&
         !starts_nowhere(path, base);
}

const Finding* find_one(FactQuery::Kind kind, std::string_view path, const PathRules& rules,
                        ValueFacts& facts) {
  static const Finding kNothing = NotFoundOut();
  if (!rules.has_root || !has_one_reading(path, rules, facts.cwd)) return &kNothing;
  const std::string_view base = rules.base.empty() ? facts.cwd : std::string_view(rules.base);
  Room room;
  const std::pmr::string place = place_of(path, base, room.memory());
  const auto inside = below(place, rules.root);
  return inside ? look(kind, rules, *inside, facts) : &kNothing;
}

std::vector<std::string> path_places(std::string_view path, const PathRules& rules,
                                     std::string_view cwd) {
  const std::string_view base = rules.base.empty() ? cwd : std::string_view(rules.base);
  std::vector<std::string> places;
  if (starts_nowhere(path, base)) return places;
  Room room;
  const auto add = [&](std::string_view reading) {
    std::string place(place_of(reading, base, room.memory()));
    if (place.empty()) place = "/";
    if (!contains(places, place)) places.push_back(std::move(place));
  };
  std::pmr::string reading(path, room.memory());
  for (int rounds = kDecodingRoundsMax; rounds >= 0; --rounds) {
    add(reading);
    std::pmr::string folded(reading, room.memory());
    std::ranges::replace(folded, '\\', '/');
    add(folded);
    if (decode_escapes(reading) == Decoded::nothing) break;
  }
  return places;
}

bool leads_elsewhere(std::string_view path, const PathRules& rules, std::string_view cwd) {
  // A link there may lead inside, and the disk was not examined.
  if (rules.resolve == Resolve::filesystem) return false;
  const std::string_view base = rules.base.empty() ? cwd : std::string_view(rules.base);
  const bool is_plain =
      is_plainly_spelled(path) && !is_ambiguous_path(path) && !starts_nowhere(path, base);
  if (!is_plain || !rules.has_root) return false;
  Room room;
  const std::pmr::string place = place_of(path, base, room.memory());
  if (may_lead_anywhere(path, place)) return false;
  if (rules.refuse_windows_names) {
    Components components(place);
    while (const auto component = components.next()) {
      if (is_special_on_windows(*component)) return false;
    }
  }
  if (!rules.folds_case) return !below(place, rules.root);
  const auto folded = fold_name(place, room.memory());
  const auto root = fold_name(rules.root, room.memory());
  return folded && root && !below(*folded, *root);
}

}  // namespace bartizan
