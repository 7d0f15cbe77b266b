#include "schemas/regex/ecma_pattern.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "schemas/base/ascii.h"
#include "schemas/base/limits.h"
#include "schemas/regex/ecma_reader.h"

namespace bartizan {
namespace {

using Reason = std::string_view;
using Done = EcmaResult<void>;

constexpr Reason kLookAround = "look-around";
constexpr Reason kBackReference = "a back-reference";
constexpr Reason kModifiers = "modifiers";
constexpr Reason kTooLarge = "a pattern that is too large";

constexpr std::string_view kNotLineEnd = R"([^\n\r\x{2028}\x{2029}])";
constexpr std::string_view kNothing = R"([^\x{0}-\x{10ffff}])";

/// RE2 counts to 1000, also across nested repetitions.
constexpr std::uint64_t kCountMax = 1000;
constexpr std::uint64_t kGrowthMax = limits::schema_pattern_growth_max;
constexpr std::uint64_t kEndless = std::numeric_limits<std::uint64_t>::max();

/// Any number of digits as a number. Larger values are cut to one that is always too large.
std::uint64_t read_count(std::string_view digits) {
  constexpr std::uint64_t kLarge = 1'000'000'000;
  std::uint64_t count = 0;
  for (const char c : digits)
    count = std::min(count * 10 + static_cast<std::uint64_t>(c - '0'), kLarge);
  return count;
}

/// The bounds of a repetition.
struct Bounds {
  std::uint64_t low, high;
};

/// Reads the text between `{` and `}`. Nothing if it is not bounds.
std::optional<Bounds> read_bounds(std::string_view inside) {
  const std::size_t comma = std::min(inside.find(','), inside.size());
  const std::string_view low = inside.substr(0, comma);
  const std::string_view high = inside.substr(std::min(comma + 1, inside.size()));
  if (low.empty() || !std::ranges::all_of(low, is_digit)) return std::nullopt;
  if (!std::ranges::all_of(high, is_digit)) return std::nullopt;
  const std::uint64_t least = read_count(low);
  if (comma == inside.size()) return Bounds{least, least};
  return Bounds{least, high.empty() ? kEndless : read_count(high)};
}

/// The spelling in RE2 of bounds that it can count to.
std::string text_of(Bounds bounds) {
  if (bounds.high == kEndless && bounds.low <= 1) return bounds.low == 0 ? "*" : "+";
  if (bounds.low == 0 && bounds.high == 1) return "?";
  if (bounds.low == 1 && bounds.high == 1) return "";
  const std::string low = "{" + std::to_string(bounds.low);
  if (bounds.low == bounds.high) return low + "}";
  return low + "," + (bounds.high == kEndless ? "" : std::to_string(bounds.high)) + "}";
}

class Translation {
 public:
  explicit Translation(std::string_view pattern) : reader_(pattern) {}

  Done run() {
    while (!reader_.rest().empty()) {
      if (const Done done = take_term(); !done) return done;
      if (out_.size() > limits::schema_pattern_text_bytes_max) set_aside(kTooLarge);
    }
    if (!groups_.empty()) return wrong("a group does not end");
    if (reference_max_ > groups_count_ || !std::ranges::includes(names_, references_)) {
      return wrong("a back-reference to no group");
    }
    // RE2 reads bytes, and without this would find `\B` inside a character.
    if (has_inner_) out_ = "\\A(?s:.)*(?:" + out_ + ")";
    return {};
  }

  bool has_doubts() const { return reader_.has_doubts(); }
  Reason untranslatable() const { return untranslatable_; }
  const std::string& out() const { return out_; }

 private:
  enum class Kind : std::uint8_t { nothing, assertion, look_ahead, atom };
  /// The last part, to which a repetition applies.
  struct Last {
    Kind kind = Kind::nothing;
    std::size_t begin = 0;    ///< Its start in the result.
    std::uint64_t size = 0;   ///< Its characters and classes, expanded.
    std::uint64_t count = 1;  ///< Of the repetitions in it, as RE2 counts them.
  };
  struct Group {
    Last itself;
    std::uint64_t size, count;  ///< Of the text around it, so far.
  };

  static std::unexpected<Reason> wrong(Reason what) { return std::unexpected(what); }

  /// Continues without a result, to find later errors.
  void set_aside(Reason why) {
    if (untranslatable_.empty()) untranslatable_ = why;
    out_.clear();
  }
  void write(std::string_view text) {
    if (untranslatable_.empty()) out_ += text;
  }
  void grow(std::uint64_t size) { size_ = std::min(size_ + size, kGrowthMax + 1); }
  void add(Kind kind, std::string_view text) {
    last_ = {.kind = kind, .begin = out_.size(), .size = 1};
    grow(1);
    write(text);
  }

  // --- Terms ------------------------------------------------------------------------------------

  Done take_term() {
    if (reader_.take("|")) {
      last_ = {};
      write("|");
      return {};
    }
    if (reader_.take("(")) return take_group();
    if (reader_.take(")")) return take_group_end();
    if (reader_.take("[")) return take_class();
    if (reader_.take("\\")) return take_escape();
    if (const auto bounds = take_bounds()) return take_repetition(*bounds);
    return take_plain();
  }

  Done take_plain() {
    const EcmaResult<char32_t> character = reader_.take_character();
    if (!character) return wrong(character.error());
    switch (*character) {
      case U'.':
        add(Kind::atom, kNotLineEnd);
        return {};
      case U'^':
        add(Kind::assertion, "\\A");
        return {};
      case U'$':
        add(Kind::assertion, "\\z");
        return {};
      case U'{':
      case U'}':
      case U']':
        reader_.doubt();
        [[fallthrough]];
      default:
        add(Kind::atom, re2_character(*character));
        return {};
    }
  }

  Done take_class() {
    const EcmaResult<std::string> text = reader_.take_class();
    if (!text) return wrong(text.error());
    add(Kind::atom, *text);
    return {};
  }

  Done take_escape() {
    if (reader_.take("b")) {
      add(Kind::assertion, "\\b");
      return {};
    }
    if (reader_.take("B")) {
      has_inner_ = true;
      add(Kind::assertion, "\\B");
      return {};
    }
    const std::string_view rest = reader_.rest();
    const char next = rest.empty() ? '\0' : rest.front();
    if (next == 'k' || (next >= '1' && next <= '9')) return take_back_reference();
    const EcmaResult<EcmaCharacters> characters = reader_.take_escape();
    if (!characters) return wrong(characters.error());
    if (characters->single.has_value()) {
      add(Kind::atom, characters->members);
    } else if (characters->members.empty()) {
      add(Kind::atom, kNothing);
    } else {
      add(Kind::atom, "[" + characters->members + "]");
    }
    return {};
  }

  Done take_back_reference() {
    if (reader_.take("k")) {
      if (!reader_.take("<")) return wrong("an escape that is none");
      EcmaResult<std::u32string> name = reader_.take_name();
      if (!name) return wrong(name.error());
      references_.insert(*std::move(name));
    } else {
      const std::string_view rest = reader_.rest();
      const std::size_t end = std::min(rest.find_first_not_of("0123456789"), rest.size());
      reference_max_ = std::max(reference_max_, read_count(rest.substr(0, end)));
      reader_.skip(end);
    }
    set_aside(kBackReference);
    add(Kind::atom, "");
    return {};
  }

  // --- Groups -----------------------------------------------------------------------------------

  Done take_group() {
    const EcmaResult<Kind> kind = take_group_kind();
    if (!kind) return wrong(kind.error());
    if (*kind != Kind::atom) set_aside(kLookAround);
    if (groups_.size() > limits::schema_pattern_depth_max) set_aside(kTooLarge);
    groups_.push_back({{.kind = *kind, .begin = out_.size()}, size_, count_});
    last_ = {};
    size_ = 0;
    count_ = 1;
    write("(?:");
    return {};
  }

  EcmaResult<Kind> take_group_kind() {
    if (reader_.take("?:")) return Kind::atom;
    if (reader_.take("?=") || reader_.take("?!")) return Kind::look_ahead;
    if (reader_.take("?<=") || reader_.take("?<!")) return Kind::assertion;
    if (reader_.take("?<")) {
      EcmaResult<std::u32string> name = reader_.take_name();
      if (!name) return wrong(name.error());
      if (!names_.insert(*std::move(name)).second) return wrong("two groups of one name");
    } else if (reader_.take("?")) {
      if (!take_modifiers()) return wrong("a group of a kind that there is not");
      return Kind::atom;
    }
    ++groups_count_;
    return Kind::atom;
  }

  /// Each of `i`, `m` and `s` at most once, before or after a minus; then a colon.
  bool take_modifiers() {
    const std::string_view rest = reader_.rest();
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string_view letters = rest.substr(0, end);
    const auto is_known = [letters](char c) {
      return std::string_view("ims-").contains(c) && std::ranges::count(letters, c) == 1;
    };
    constexpr std::size_t kLettersMax = std::string_view("ims-").size();
    if (end == rest.size() || letters == "-" || letters.size() > kLettersMax) return false;
    if (!std::ranges::all_of(letters, is_known)) return false;
    reader_.skip(end + 1);
    set_aside(kModifiers);
    return true;
  }

  Done take_group_end() {
    if (groups_.empty()) return wrong("the end of no group");
    const Group group = groups_.back();
    groups_.pop_back();
    last_ = group.itself;
    last_.size = size_ + 1;
    last_.count = count_;
    size_ = group.size;
    grow(last_.size);
    count_ = std::max(group.count, last_.count);
    write(")");
    return {};
  }

  // --- Repetitions ------------------------------------------------------------------------------

  std::optional<Bounds> take_bounds() {
    if (reader_.take("*")) return Bounds{0, kEndless};
    if (reader_.take("+")) return Bounds{1, kEndless};
    if (reader_.take("?")) return Bounds{0, 1};
    const std::string_view rest = reader_.rest();
    if (!rest.starts_with('{')) return std::nullopt;
    const std::size_t end = rest.find_first_not_of("0123456789,", 1);
    if (end == std::string_view::npos || rest[end] != '}') return std::nullopt;
    const std::optional<Bounds> bounds = read_bounds(rest.substr(1, end - 1));
    if (bounds.has_value()) reader_.skip(end + 1);
    return bounds;
  }

  Done take_repetition(Bounds bounds) {
    // A lazy repetition changes the end of a match, not its existence.
    reader_.take("?");
    if (last_.kind == Kind::nothing || last_.kind == Kind::assertion) {
      return wrong("a repetition of nothing");
    }
    if (bounds.low > bounds.high) return wrong("a repetition from more to less");
    if (last_.kind == Kind::look_ahead) reader_.doubt();
    repeat(bounds);
    last_ = {};
    return {};
  }

  void repeat(Bounds bounds) {
    const std::uint64_t most = bounds.high == kEndless ? bounds.low : bounds.high;
    const std::uint64_t times = std::clamp(most, std::uint64_t{1}, kGrowthMax + 2);
    const std::uint64_t growth = last_.size * (times - 1);
    grow(growth);
    growth_ += growth;
    if (growth_ > kGrowthMax) set_aside(kTooLarge);
    if (!untranslatable_.empty()) return;
    const std::uint64_t times_max = kCountMax / last_.count;
    if (times > times_max) return repeat_in_parts(bounds, times_max);
    count_ = std::max(count_, last_.count * times);
    write(text_of(bounds));
  }

  /// Writes several repetitions, each within RE2's bound.
  void repeat_in_parts(Bounds bounds, std::uint64_t times_max) {
    const std::string repeated = out_.substr(last_.begin);
    out_.resize(last_.begin);
    const auto write_part = [&](Bounds part) {
      if (out_.size() + repeated.size() > limits::schema_pattern_text_bytes_max) {
        set_aside(kTooLarge);
      }
      write(repeated);
      write(text_of(part));
    };
    count_ = kCountMax;
    write("(?:");
    for (std::uint64_t left = bounds.low, part = 0; left > 0; left -= part) {
      part = std::min(left, times_max);
      write_part({part, part});
    }
    if (bounds.high == kEndless) write_part({0, kEndless});
    const std::uint64_t more = bounds.high == kEndless ? 0 : bounds.high - bounds.low;
    for (std::uint64_t left = more, part = 0; left > 0; left -= part) {
      part = std::min(left, times_max);
      write_part({0, part});
    }
    write(")");
  }

  EcmaReader reader_;
  std::string out_;
  Reason untranslatable_;
  bool has_inner_ = false;  ///< There is a `\B`.
  Last last_;
  std::uint64_t size_ = 0, count_ = 1;  ///< Of the current group.
  std::uint64_t growth_ = 0;
  std::vector<Group> groups_;
  std::uint64_t groups_count_ = 0, reference_max_ = 0;
  std::set<std::u32string> names_, references_;
};

}  // namespace

std::expected<std::string, std::string> translate_ecma_pattern(std::string_view pattern) {
  Translation translation(pattern);
  const Done done = translation.run();
  if (!done) return std::unexpected(std::string(done.error()));
  if (!translation.untranslatable().empty()) {
    return std::unexpected(std::string(translation.untranslatable()));
  }
  return translation.out();
}

bool is_ecma_pattern(std::string_view text) {
  Translation translation(text);
  return translation.run().has_value() && !translation.has_doubts();
}

}  // namespace bartizan
