#include <cstddef>
#include <cstdint>
#include <string_view>

#include "config/load/load_config.h"
#include "fuzz/require.h"

/// Any text either gives a usable configuration or says what is wrong and where. What the loader
/// takes, the schema takes too: an editor must not mark what the gateway accepts.

namespace {}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bartizan;
  if (size > 64 * 1024) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const LoadedConfig loaded = load_config_text(bytes, "fuzz.toml");
  for (const ConfigProblem& problem : loaded.problems) {
    require(problem.where.starts_with("fuzz.toml") && !problem.message.empty());
    require(text(problem).find('\n') == std::string::npos);
  }
  require(loaded.config.limits.contains("everyone") || !loaded.usable());
  if (loaded.usable()) require(check_text_against_schema(bytes, "fuzz.toml").empty());
  return 0;
}
