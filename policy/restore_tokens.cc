#include "policy/restore_tokens.h"

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "policy/redaction_mark.h"
#include "schemas/limits.h"
#include "schemas/string_range.h"

namespace bartizan {
namespace {

/// A text as it stands within the quotes of a JSON string.
std::string escaped(std::string_view text) {
  std::string quoted;
  append_json_string(quoted, text);
  return quoted.substr(1, quoted.size() - 2);
}

/// The detector that a mark names. Whoever sends a mark that stands for nothing may write any name
/// behind `custom`, so that this is all there is of it.
std::string detector_of(std::string_view mark, bool is_known) {
  constexpr std::string_view kCustom = "custom";
  mark.remove_prefix(kRedactionMarkOpening.size());
  if (!is_known && mark.starts_with(kCustom)) return std::string(kCustom);
  return std::string(mark.substr(0, mark.find_first_of(":]")));
}

}  // namespace

std::expected<RestoredTokens, Reason> restore_tokens(JsonValue arguments, std::string_view bytes,
                                                     const FindToken& find) {
  RestoredTokens done;
  if (!arguments) return done;
  std::string restored;
  std::size_t at = 0;
  std::map<std::string, std::optional<std::string>, std::less<>> known;
  for (const JsonValue value : arguments.within()) {
    if (!value.is(JsonType::string)) continue;
    const std::string_view text = value.text();
    if (!text.contains(kRedactionMarkOpening)) continue;
    StringRanges ranges(value.raw());
    for (const ByteRange mark : find_redaction_marks(text)) {
      const std::string_view token = mark.of(text);
      auto meant = known.find(token);
      if (meant == known.end()) {
        std::optional<std::string> standing = find(token);
        if (standing.has_value()) standing = escaped(*standing);
        meant = known.emplace(token, std::move(standing)).first;
      }
      const bool is_known = meant->second.has_value();
      add(done.found, {detector_of(token, is_known), is_known ? kRestored : kUnknown, 1});
      if (!is_known) continue;
      const ByteRange place = ranges.find(mark);
      const std::size_t begin = value.range().begin;
      restored += bytes.substr(at, begin + place.begin - at);
      restored += *meant->second;
      if (restored.size() > limits::request_bytes_max) {
        return std::unexpected(Reason::invalid_params);
      }
      at = begin + place.end;
    }
  }
  if (at > 0) done.text = std::move(restored.append(bytes.substr(at)));
  return done;
}

}  // namespace bartizan
