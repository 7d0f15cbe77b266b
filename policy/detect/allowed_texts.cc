#include "policy/detect/allowed_texts.h"

#include <algorithm>
#include <utility>

#include "schemas/base/ascii.h"

namespace bartizan {

Result<AllowedTexts> AllowedTexts::compile(const GitleaksAllowlist& allowlist) {
  AllowedTexts allowed;
  allowed.target_ = allowlist.target;
  allowed.needs_all_ = allowlist.needs_all;
  for (const std::string& regex : allowlist.regexes) {
    auto pattern = compile_re2_pattern(regex, kGitleaksPatternBytesMax);
    if (!pattern.has_value()) {
      return fail(ErrorCode::config_invalid, Fault::gateway,
                  "a pattern of an allowlist cannot be looked for");
    }
    allowed.regexes_.push_back(*std::move(pattern));
  }
  std::vector<std::string> words = allowlist.stopwords;
  std::ranges::sort(words);
  for (std::string& word : words) {
    // A text that contains the longer word also contains the shorter one.
    const bool is_held = !allowed.stopwords_.empty() && word.starts_with(allowed.stopwords_.back());
    if (!is_held) allowed.stopwords_.push_back(std::move(word));
  }
  return allowed;
}

/// At each place only one word can match: the last that does not sort after the text there. Any
/// word between it and the text would begin with it.
bool AllowedTexts::hold_stopword(std::string_view secret) const {
  if (stopwords_.empty()) return false;
  std::string small(secret);
  std::ranges::transform(small, small.begin(), lower_case);
  for (std::size_t at = 0; at < small.size(); ++at) {
    const std::string_view rest = std::string_view(small).substr(at);
    const auto behind = std::ranges::upper_bound(stopwords_, rest);
    if (behind != stopwords_.begin() && rest.starts_with(*std::prev(behind))) return true;
  }
  return false;
}

bool AllowedTexts::allow(const Finding& finding) const {
  using Target = GitleaksAllowlist::Target;
  const std::string_view target = target_ == Target::secret  ? finding.secret
                                  : target_ == Target::match ? finding.match
                                                             : finding.line;
  const bool has_regex = std::ranges::any_of(
      regexes_, [target](const CompiledPattern& regex) { return holds_match(regex, target); });
  if (!needs_all_) return has_regex || hold_stopword(finding.secret);
  return (regexes_.empty() || has_regex) && (stopwords_.empty() || hold_stopword(finding.secret));
}

}  // namespace bartizan
