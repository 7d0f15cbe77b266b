#include <algorithm>
#include <optional>
#include <string>

#include "policy/base64_text.h"
#include "policy/detector_id.h"
#include "policy/secret_readers.h"

namespace bartizan {

void read_json_token(ScanText& text, std::size_t begin) {
  constexpr std::size_t kHeaderMax = 2048;
  // Hits within one run of the alphabet: the first may be long, the others cost next to nothing.
  constexpr std::size_t kInnerHeaderMax = 64;
  constexpr int kPartsMax = 5;  // Of a JWE.
  if (!text.begins_word(begin)) return;
  const std::size_t header_end = text.run_end(kBase64UrlRuns, begin);
  if (text.at(header_end) != '.') return;
  const bool is_inner = begin > 0 && kBase64UrlRuns.set.holds(text.at(begin - 1)) &&
                        (text.at(begin - 1) == '-' || text.at(begin - 1) == '_');
  const std::size_t looked_at =
      std::min(header_end - begin, is_inner ? kInnerHeaderMax : kHeaderMax);
  text.add_work(looked_at);
  const std::string header = decode_base64_prefix(text.between(begin, begin + looked_at));
  if (!header.contains("\"alg\"") && !header.contains("\"enc\"")) return;
  std::size_t end = header_end;
  for (int part = 1; part < kPartsMax && text.at(end) == '.'; ++part) {
    const std::size_t part_end = text.run_end(kBase64UrlRuns, end + 1);
    // An unsigned token ends with its second dot; a sentence's full stop is none.
    if (part_end == end + 1 && part != 2) break;
    end = part_end;
    if (part == 1 && end - header_end < 8) return;
  }
  static const DetectorId detector = detector_id("jwt");
  text.report(
      {.begin = begin, .end = end, .detector = detector, .whole_begin = begin, .whole_end = end});
}

}  // namespace bartizan
