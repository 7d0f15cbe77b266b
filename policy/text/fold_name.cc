#include "policy/text/fold_name.h"

#include <algorithm>

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/stringpiece.h>

#include "schemas/base/ascii.h"
#include "schemas/json/json_text.h"

namespace bartizan {

std::optional<std::pmr::string> fold_name(std::string_view name,
                                          std::pmr::memory_resource* memory) {
  std::pmr::string folded(memory);
  folded.reserve(name.size());
  if (is_ascii(name)) {
    std::ranges::transform(name, std::back_inserter(folded), lower_case);
    return folded;
  }
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* folding = icu::Normalizer2::getNFKCCasefoldInstance(error);
  if (U_FAILURE(error)) return std::nullopt;
  icu::StringByteSink<std::pmr::string> sink(&folded);
  const icu::StringPiece piece(name.data(), static_cast<std::int32_t>(name.size()));
  folding->normalizeUTF8(0, piece, sink, nullptr, error);
  if (U_FAILURE(error)) return std::nullopt;
  return folded;
}

std::optional<std::pmr::string> composed_name(std::string_view name,
                                              std::pmr::memory_resource* memory) {
  if (is_ascii(name)) return std::nullopt;
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* composing = icu::Normalizer2::getNFCInstance(error);
  const icu::StringPiece piece(name.data(), static_cast<std::int32_t>(name.size()));
  if (U_FAILURE(error) || composing->isNormalizedUTF8(piece, error) != 0) return std::nullopt;
  std::pmr::string composed(memory);
  icu::StringByteSink<std::pmr::string> sink(&composed);
  composing->normalizeUTF8(0, piece, sink, nullptr, error);
  // The library writes U+FFFD for invalid UTF-8, which is not the name of a file.
  const bool is_sound = U_SUCCESS(error) && !composed.contains("\uFFFD");
  return is_sound ? std::optional(std::move(composed)) : std::nullopt;
}

}  // namespace bartizan
