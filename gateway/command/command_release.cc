#include "gateway/command/command_release.h"

#include <string_view>

#include <fmt/format.h>

#include "gateway/command/ask_admin.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {
namespace {

int refuse(const CommandOutput& output, std::string_view why, int exit_code) {
  output.problems << "bartizan release: " << why << '\n';
  return finish(output, exit_code);
}

}  // namespace

int release_quarantined(const ReleaseOptions& options, const CommandOutput& output) {
  const std::string path = find_admin_socket(
      options.config, "release", "approve the tool in the lock file with bartizan pin", output);
  if (path.empty()) return finish(output, kExitUsage);
  const std::size_t slash = options.tool.find('/');
  const std::string name = slash == std::string::npos ? "" : options.tool.substr(slash + 1);
  constexpr std::size_t kDigits = 64;
  if (!is_tool_name(name) || options.fingerprint.size() != kDigits ||
      options.fingerprint.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return refuse(output, "write SERVER/TOOL and the fingerprint, 64 digits of lower-case hex",
                  kExitUsage);
  }
  const Result<AskedPage> page =
      ask_admin(path, fmt::format("POST /api/release/{}/{}", options.tool, options.fingerprint));
  if (!page.has_value()) return refuse(output, page.error().detail, kExitFailed);
  const bool is_done = page->status == 200;
  if (!is_done && output.format == OutputFormat::text) {
    return refuse(output, fmt::format("{}: {}", options.tool, reason_of_page(*page)), kExitFailed);
  }
  if (is_done && output.format == OutputFormat::text) {
    output.results << fmt::format(
        "released {} until the gateway ends; bartizan pin {} keeps it approved\n", options.tool,
        options.config);
  } else {
    (is_done ? output.results : output.problems) << page->text;
  }
  return finish(output, is_done ? kExitDone : kExitFailed);
}

}  // namespace bartizan
