#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/require.h"
#include "gateway/process/line_reader.h"

/// Lines are what a plain split of the whole gives, wherever reads end.

namespace {

using namespace bartizan;

constexpr std::size_t kLineMax = 10;

struct Lines {
  std::vector<std::string> lines = {};
  std::optional<std::string> rest = {};
  std::uint64_t dropped = 0;
  bool operator==(const Lines&) const = default;
};

Lines read(std::string_view bytes, std::size_t part_size) {
  LineReader reader(kLineMax);
  Lines out;
  while (!bytes.empty()) {
    const auto step = reader.step(bytes.substr(0, part_size));
    require(step.consumed > 0 && reader.buffered() <= kLineMax);
    bytes.remove_prefix(step.consumed);
    if (step.line) out.lines.emplace_back(step.line->view());
  }
  if (const auto rest = reader.take_unterminated()) out.rest = rest->view();
  out.dropped = reader.dropped_lines();
  return out;
}

Lines split(std::string_view bytes) {
  Lines out;
  for (std::size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    std::string_view line = bytes.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    bytes.remove_prefix(end + 1);
    if (line.size() > kLineMax) {
      ++out.dropped;
    } else {
      out.lines.emplace_back(line);
    }
  }
  if (bytes.size() > kLineMax) {
    ++out.dropped;
  } else if (!bytes.empty()) {
    out.rest = bytes;
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Lines want = split(bytes);
  require(read(bytes, bytes.size()) == want);
  require(read(bytes, 1) == want);
  require(read(bytes, 3) == want);
  return 0;
}
