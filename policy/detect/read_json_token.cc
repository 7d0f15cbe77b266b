#include <algorithm>
#include <string>

#include "policy/detect/detector_id.h"
#include "policy/detect/secret_readers.h"
#include "policy/text/base64_text.h"

namespace bartizan {
namespace {

/// The end of the token whose header ends at a place; 0 if there is none.
std::size_t token_end(ScanText& text, std::size_t header_end) {
  constexpr int kPartsMax = 5;  // Of a JWE.
  constexpr std::size_t kPayloadMin = 7;
  std::size_t end = header_end;
  for (int part = 1; part < kPartsMax && text.at(end) == '.'; ++part) {
    const std::size_t part_end = text.run_end(kBase64UrlRuns, end + 1);
    const std::size_t size = part_end - end - 1;
    // An unsigned token ends with its second dot. A token with an agreed key has two dots after its
    // header. The full stop of a sentence is not a dot of a token.
    const bool may_be_empty = part == 2 || (part == 1 && text.at(part_end) == '.');
    if (size == 0 && !may_be_empty) break;
    if (part == 1 && size > 0 && size < kPayloadMin) return 0;
    end = part_end;
  }
  return end - header_end < kPayloadMin ? 0 : end;
}

/// The run at a place, and its continuation. It is read once for all headers in it.
ScanText::TokenHeader& header_at(ScanText& text, std::size_t begin) {
  ScanText::TokenHeader& header = text.last_header();
  if (begin < header.begin || begin >= header.end) {
    header = {.begin = begin, .end = text.run_end(kBase64UrlRuns, begin)};
    header.token_end = token_end(text, header.end);
  }
  return header;
}

}  // namespace

void read_json_token(ScanText& text, std::size_t begin) {
  constexpr std::size_t kHeaderMax = 2048;
  // Hits inside one run of the alphabet: the first may be long, the others cost almost nothing.
  constexpr std::size_t kInnerHeaderMax = 64;
  if (!text.begins_word(begin)) return;
  ScanText::TokenHeader& header = header_at(text, begin);
  if (header.token_end == 0 || header.is_found) return;
  const char before = begin == 0 ? '\0' : text.at(begin - 1);
  const bool is_inner = before == '-' || before == '_';
  const std::size_t looked_at =
      std::min(header.end - begin, is_inner ? kInnerHeaderMax : kHeaderMax);
  text.add_work(looked_at);
  const std::string decoded = decode_base64_prefix(text.between(begin, begin + looked_at));
  if (!decoded.contains("\"alg\"") && !decoded.contains("\"enc\"")) return;
  header.is_found = true;
  static const DetectorId detector = detector_id("jwt");
  text.report(detector, begin, header.token_end);
}

}  // namespace bartizan
