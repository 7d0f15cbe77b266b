#include "policy/detect/gitleaks_detector.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "policy/text/character_kind.h"
#include "schemas/base/ascii.h"
#include "schemas/base/has_anchor.h"
#include "schemas/base/required_literals.h"

namespace bartizan {
namespace {

/// A search reads so far for the end of a match. In a string with many matches it reads less, as
/// RE2 may read everything before it knows each end.
constexpr std::size_t kWindow = std::size_t{256} << 10;
constexpr std::size_t kSmallWindow = 3 * GitleaksDetector::kMatchBytes;
constexpr std::size_t kMatchesFew = 64;

/// The bytes of a line before and after a match that allowlists see.
constexpr std::size_t kLineReach = 1024;

/// `(?i)` and the escaped words as alternatives.
std::string pattern_of(const std::vector<std::string>& words) {
  std::string pattern = "(?i)";
  for (const std::string& word : words) {
    if (&word != words.data()) pattern += '|';
    for (const char c : word) {
      if (c > 0 && !is_letter(c) && !is_digit(c)) pattern += '\\';
      pattern += c;
    }
  }
  return pattern;
}

bool holds_any(std::string_view text, const std::vector<std::string>& words) {
  return std::ranges::any_of(words,
                             [text](const std::string& word) { return text.contains(word); });
}

/// Whether the words can be searched for with all other literals.
bool are_literals(const std::vector<std::string>& words) {
  return !words.empty() && std::ranges::all_of(words, [](const std::string& word) {
    return word.size() >= kLiteralBytesMin && is_ascii(word) && !word.contains('\0');
  });
}

/// A match without line ends around it, as in gitleaks.
MatchRange trimmed(std::string_view view, MatchRange match) {
  while (match.begin < match.end && view[match.begin] == '\n')
    ++match.begin;
  while (match.begin < match.end && view[match.end - 1] == '\n')
    --match.end;
  return match;
}

std::string_view of(std::string_view view, MatchRange range) {
  return view.substr(range.begin, range.end - range.begin);
}

/// The lines of a match.
std::string_view line_of(std::string_view view, MatchRange match) {
  std::size_t begin = match.begin - std::min(match.begin, kLineReach);
  const std::size_t before = of(view, {begin, match.begin}).rfind('\n');
  if (before != std::string_view::npos) begin += before + 1;
  std::size_t end = std::min(view.size(), match.end + kLineReach);
  end = std::min(end, match.end + std::min(of(view, {match.end, end}).find('\n'), end - match.end));
  return of(view, {begin, end});
}

}  // namespace

double shannon_entropy(std::string_view text) {
  if (text.empty()) return 0;
  std::map<char32_t, std::size_t> counts;
  for (std::size_t at = 0; at < text.size();) {
    const auto character = read_character(text, at);
    ++counts[character.value];
    at += std::max<std::size_t>(character.size, 1);
  }
  double entropy = 0;
  for (const auto& [character, count] : counts) {
    const double share = static_cast<double>(count) / static_cast<double>(text.size());
    entropy -= share * std::log2(share);
  }
  return entropy;
}

Result<GitleaksDetector> GitleaksDetector::compile(const GitleaksRule& rule,
                                                   const SharedAllowlists& allowlists,
                                                   DetectorId id, std::size_t bytes_max) {
  const auto fault = [&rule] {
    return fail(ErrorCode::config_invalid, Fault::gateway,
                "the rule \"" + rule.id + "\" cannot be looked for");
  };
  GitleaksDetector detector;
  detector.id_ = id;
  detector.entropy_ = rule.entropy;
  detector.secret_group_ = rule.secret_group;
  detector.has_anchor_ = has_anchor(rule.regex);
  auto regex = compile_re2_search(rule.regex, bytes_max);
  if (!regex.has_value() || rule.secret_group > group_count(*regex)) return fault();
  detector.regex_ = *std::move(regex);
  for (const std::size_t index : rule.allowlists) {
    if (index >= allowlists.size()) return fault();
    detector.allowlists_.push_back(allowlists[index]);
  }
  detector.triggers_ = required_literals(rule.regex);
  const bool tells_keyword =
      !detector.triggers_.empty() &&
      std::ranges::all_of(detector.triggers_, [&](const std::string& literal) {
        return holds_any(literal, rule.keywords);
      });
  if (rule.keywords.empty() || tells_keyword) return detector;
  if (detector.triggers_.empty() && are_literals(rule.keywords)) {
    detector.triggers_ = rule.keywords;
    return detector;
  }
  auto keywords = compile_re2_pattern(pattern_of(rule.keywords), kGitleaksPatternBytesMax);
  if (!keywords.has_value()) return fault();
  detector.keywords_ = *std::move(keywords);
  return detector;
}

std::size_t GitleaksDetector::read(ScanText& text, std::size_t place, std::size_t searched) const {
  if (place < searched) return searched;
  const std::string_view bytes = text.bytes();
  const std::size_t nul = bytes.substr(0, place).rfind('\0');
  const std::size_t end = std::min(bytes.find('\0', place), bytes.size());
  read_string(text, {nul == std::string_view::npos ? 0 : nul + 1, end});
  return end;
}

/// Strings of messages are quoted, after their names: `"name":"value"`. A pattern with anchors
/// refers to each string.
void GitleaksDetector::read_string(ScanText& text, MatchRange string) const {
  const std::string_view bytes = of(text.bytes(), string);
  text.add_work(bytes.size());
  if (keywords_.has_value() && !holds_match(*keywords_, bytes)) return;
  read_view(text, string);
  if (!has_anchor_ || bytes.size() < 2 || bytes.front() != '"') return;
  const std::size_t end = string.end - (bytes.back() == '"' ? 1 : 0);
  read_view(text, {string.begin + 1, end});
  const std::size_t named = bytes.find("\":");
  if (named == std::string_view::npos || named == 0) return;
  read_view(text, {string.begin + 1, string.begin + named});
  const std::size_t value = string.begin + named + 2 + (bytes[named + 2] == '"' ? 1 : 0);
  if (value < end) read_view(text, {value, end});
}

void GitleaksDetector::read_view(ScanText& text, MatchRange range) const {
  const std::string_view view = of(text.bytes(), range);
  std::vector<MatchRange> groups(group_count(regex_) + 1);
  std::size_t matches = 0;
  for (std::size_t at = 0; at < view.size() && !text.is_full();) {
    const std::size_t end =
        std::min(view.size(), at + (matches < kMatchesFew ? kWindow : kSmallWindow));
    if (!find_groups(regex_, view, {at, end}, groups)) {
      text.add_work(end - at);
      if (end == view.size()) return;
      at = end - kMatchBytes;
      continue;
    }
    const MatchRange match = groups.front();
    text.add_work(match.end - at);
    // The match may continue after the window.
    if (match.end == end && end < view.size() && match.begin > at) {
      at = match.begin;
      continue;
    }
    ++matches;
    judge(text, range, groups);
    at = std::max(match.end, match.begin + 1);
  }
}

void GitleaksDetector::judge(ScanText& text, MatchRange range,
                             std::vector<MatchRange>& groups) const {
  const std::string_view view = of(text.bytes(), range);
  const MatchRange match = trimmed(view, groups.front());
  const auto is_there = [](const MatchRange& group) { return group.begin < group.end; };
  if (!is_there(match)) return;
  MatchRange secret = match;
  if (secret_group_ > 0) {
    if (is_there(groups[secret_group_])) secret = groups[secret_group_];
  } else {
    const auto first = std::ranges::find_if(groups.begin() + 1, groups.end(), is_there);
    if (first != groups.end()) secret = *first;
  }
  const bool is_low = entropy_ > 0 && shannon_entropy(of(view, secret)) <= entropy_;
  if ((is_low || is_allowed(view, match, secret)) && text.may_dismiss()) return;
  text.report(id_, range.begin + secret.begin, range.begin + secret.end);
}

bool GitleaksDetector::is_allowed(std::string_view view, MatchRange match,
                                  MatchRange secret) const {
  if (allowlists_.empty()) return false;
  const AllowedTexts::Finding finding{
      .secret = of(view, secret), .match = of(view, match), .line = line_of(view, match)};
  return std::ranges::any_of(allowlists_,
                             [&](const auto& allowlist) { return allowlist->allow(finding); });
}

}  // namespace bartizan
