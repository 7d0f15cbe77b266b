// Arbitrary bytes as a capture: what is read writes the same lines again, is judged again the same
// way twice, and teaches a policy that loads, whatever names and values stand in it, and has no
// table that was not meant.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/load/load_config.h"
#include "fuzz/require.h"
#include "policy/learn/capture.h"
#include "policy/learn/learn_policy.h"
#include "policy/learn/replay_calls.h"
#include "policy/learn/write_learned.h"

namespace {

using namespace bartizan;

const std::string kConfig = R"(version = 1
[audit]
file = "record"
[server.s]
command = ["p"]
[role.r]
[principal.a]
roles = ["r"]
[limit.few]
per = ["principal"]
rate = ["2/s"]
concurrency = 1
queue = 1
)";
const std::string kPermit = "[rule.all]\neffect = \"permit\"\nroles = [\"r\"]\ntools = [\"s/*\"]\n";

Capture read(std::string_view text) {
  CaptureReader reader;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    reader.read(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.finish().value_or(Capture());
}

void check_line(const CapturedCall& call) {
  const std::string line = capture_line(call);
  require(line.find('\n') == std::string::npos);
  const Capture again = read(run_line("r", 1) + "\n" + line + "\n");
  require(again.size() == 1 && again.garbage == 0);
  require(capture_line(again.runs.front().calls.front()) == line);
}

void check_learned(const Config& config, const Capture& capture) {
  const LearnedPolicy learned = learn_policy(config, capture);
  std::string text = write_learned(learned);
  const std::string version = "version = 1\n";
  text.erase(text.find(version), version.size());
  const LoadedConfig loaded = load_config_text(kConfig + text, "fuzz.toml");
  require(loaded.usable());
  require(loaded.config.rules.size() == learned.rules.size());
  require(loaded.config.tools.size() == learned.tools.size());
  require(loaded.config.paths.size() == learned.paths.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 16 * 1024) return 0;
  const Capture capture = read({reinterpret_cast<const char*>(data), size});
  static const Config config = load_config_text(kConfig + kPermit, "fuzz.toml").config;
  for (const Capture::Run& run : capture.runs) {
    for (const CapturedCall& call : run.calls)
      check_line(call);
  }
  check_learned(config, capture);
  const Replay first = replay_calls(config, capture);
  const Replay second = replay_calls(config, capture);
  require(first.calls.size() == capture.size() && second.calls.size() == capture.size());
  for (std::size_t i = 0; i < first.calls.size(); ++i) {
    require(first.calls[i].outcome == second.calls[i].outcome);
  }
  return 0;
}
