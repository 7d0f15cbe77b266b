#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/require.h"
#include "policy/scanner.h"

/// Findings lie in the text, in order, and in none of them a NUL; where something was masked,
/// nothing of the mask is found again; the work is linear.

namespace {

using namespace bartizan;

void check_findings(std::string_view text, std::span<const Finding> findings) {
  std::size_t last = 0;
  for (const Finding& finding : findings) {
    require(finding.begin < finding.end && finding.end <= text.size());
    require(finding.whole_begin <= finding.begin && finding.end <= finding.whole_end);
    require(finding.whole_end <= text.size());
    require(finding.begin >= last);
    require(finding.detector < detectors().size());
    require(!text.substr(finding.begin, finding.end - finding.begin).contains('\0'));
    last = finding.begin;
  }
}

struct Masked {
  std::string text;
  std::vector<std::pair<std::size_t, std::size_t>> masks;
};

Masked mask(std::string_view text, std::span<const Finding> findings) {
  Masked masked;
  std::size_t copied = 0;
  for (const Finding& finding : findings) {
    if (finding.begin >= copied) {
      masked.text += text.substr(copied, finding.begin - copied);
      const std::size_t begin = masked.text.size();
      masked.text += "[redacted:" + std::string(detectors()[finding.detector].name) + "]";
      masked.masks.emplace_back(begin, masked.text.size());
    }
    copied = std::max(copied, finding.end);
  }
  masked.text += text.substr(copied);
  return masked;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Scanner scanner(bartizan::compile_scan_database().value());
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto findings = scanner.scan(text);
  check_findings(text, findings);
  constexpr std::uint64_t kReadsMax = 200;
  require(scanner.work() <= kReadsMax * (size + 64));
  const Masked masked = mask(text, findings);
  for (const Finding& finding : scanner.scan(masked.text)) {
    for (const auto& [begin, end] : masked.masks)
      require(finding.begin > begin || finding.end < end);
  }
  return 0;
}
