#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/require.h"
#include "policy/detect/detector_set.h"
#include "policy/detect/scanner.h"

/// Findings lie in the text, in order, and in none of them a NUL; where something was masked,
/// nothing of the mask is found again; the work is linear.

namespace {

using namespace bartizan;

/// Everything that can be looked for: secrets, personal data, and detectors of an operator's own.
const Config& config() {
  static const Config everything = [] {
    Config made;
    made.detectors["pattern"] = {.name = "pattern",
                                 .pattern = "(?i)acme-[0-9]{3,}|[a-z]+://falcon"};
    made.detectors["words"] = {.name = "words", .words = {"project falcon", "blaub\xC3\xA4r"}};
    made.redactions["all"] = {.name = "all", .detectors = {"pii", "custom"}};
    return made;
  }();
  return everything;
}

const DetectorSet& names() {
  static const DetectorSet all(config());
  return all;
}

void check_sightings(std::string_view text, std::span<const DetectorMatch> sightings) {
  std::size_t last = 0;
  for (const DetectorMatch& sighting : sightings) {
    require(sighting.begin < sighting.end && sighting.end <= text.size());
    require(sighting.whole_begin <= sighting.begin && sighting.end <= sighting.whole_end);
    require(sighting.whole_end <= text.size());
    require(sighting.begin >= last);
    require(sighting.detector < names().size());
    require(!text.substr(sighting.begin, sighting.end - sighting.begin).contains('\0'));
    last = sighting.begin;
  }
}

struct Masked {
  std::string text;
  std::vector<std::pair<std::size_t, std::size_t>> masks;
};

Masked mask(std::string_view text, std::span<const DetectorMatch> sightings) {
  Masked masked;
  std::size_t copied = 0;
  for (const DetectorMatch& sighting : sightings) {
    if (sighting.begin >= copied) {
      masked.text += text.substr(copied, sighting.begin - copied);
      const std::size_t begin = masked.text.size();
      masked.text += "[redacted:" + std::string(names().name(sighting.detector)) + "]";
      masked.masks.emplace_back(begin, masked.text.size());
    }
    copied = std::max(copied, sighting.end);
  }
  masked.text += text.substr(copied);
  return masked;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Scanner scanner(bartizan::compile_scan_database(config()).value());
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto sightings = scanner.scan(text);
  check_sightings(text, sightings);
  constexpr std::uint64_t kReadsMax = 200;
  require(scanner.work() <= kReadsMax * (size + 64));
  const Masked masked = mask(text, sightings);
  for (const DetectorMatch& sighting : scanner.scan(masked.text)) {
    for (const auto& [begin, end] : masked.masks)
      require(sighting.begin > begin || sighting.end < end);
  }
  return 0;
}
