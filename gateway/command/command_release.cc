#include "gateway/command/command_release.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include <fmt/format.h>

#include "config/load/load_config.h"
#include "gateway/command/ask_page.h"
#include "gateway/process/descriptor.h"
#include "gateway/runtime/clock.h"
#include "schemas/json/json.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{10};

Result<Descriptor> connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return fail(ErrorCode::closed, Fault::server, "the path is too long for a socket");
  }
  path.copy(address.sun_path, path.size());
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const bool is_connected =
      socket.get() >= 0 &&
      ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  if (!is_connected) return fail(ErrorCode::closed, Fault::server, std::strerror(errno));
  // Whoever waits has a deadline from here on.
  const timeval patience{.tv_sec = kPatience.count(), .tv_usec = 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  return socket;
}

int refuse(const CommandOutput& output, std::string_view why, int exit_code) {
  output.problems << "bartizan release: " << why << '\n';
  return finish(output, exit_code);
}

}  // namespace

int release_quarantined(const ReleaseOptions& options, const CommandOutput& output) {
  const LoadedConfig loaded = load_config(options.config);
  if (!loaded.usable()) {
    for (const ConfigProblem& problem : loaded.problems)
      output.problems << text(problem) << '\n';
    return finish(output, kExitUsage);
  }
  if (!loaded.config.admin.has_value()) {
    return refuse(output,
                  options.config +
                      " has no [admin]: write socket = \"PATH\" in it and restart, or "
                      "approve the tool in the lock file with bartizan pin",
                  kExitUsage);
  }
  const std::size_t slash = options.tool.find('/');
  const std::string name = slash == std::string::npos ? "" : options.tool.substr(slash + 1);
  constexpr std::size_t kDigits = 64;
  if (!is_tool_name(name) || options.fingerprint.size() != kDigits ||
      options.fingerprint.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return refuse(output, "write SERVER/TOOL and the fingerprint, 64 digits of lower-case hex",
                  kExitUsage);
  }
  const std::string& path = loaded.config.admin->socket;
  const Result<Descriptor> socket = connect_to(path);
  if (!socket.has_value()) {
    return refuse(output, fmt::format("{}: {}; does the gateway run?", path, socket.error().detail),
                  kExitFailed);
  }
  const Result<AskedPage> page =
      ask_page(*socket, fmt::format("POST /api/release/{}/{}", options.tool, options.fingerprint),
               steady_now() + kPatience);
  if (!page.has_value()) {
    return refuse(output, path + ": " + page.error().detail, kExitFailed);
  }
  const bool is_done = page->status == 200;
  if (!is_done && output.format == OutputFormat::text) {
    const Bytes bytes{std::string_view(page->text)};
    JsonDocument document;
    const Result<JsonValue> answer = document.read(bytes);
    const std::string why(answer.has_value() ? answer->find("reason").text() : page->text);
    return refuse(output, options.tool + ": " + why, kExitFailed);
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
