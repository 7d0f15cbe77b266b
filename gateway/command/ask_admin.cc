#include "gateway/command/ask_admin.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include <fmt/format.h>

#include "config/load/load_config.h"
#include "gateway/process/descriptor.h"
#include "gateway/runtime/clock.h"
#include "schemas/json/json.h"

namespace bartizan {
namespace {

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
  // Reads and writes from here on have a timeout.
  const timeval patience{.tv_sec = kPatience.count(), .tv_usec = 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  return socket;
}

}  // namespace

std::string find_admin_socket(const std::string& config, std::string_view command,
                              std::string_view instead, const CommandOutput& output) {
  const LoadedConfig loaded = load_config(config);
  if (!loaded.usable()) {
    for (const ConfigProblem& problem : loaded.problems)
      output.problems << text(problem) << '\n';
    return "";
  }
  if (loaded.config.admin.has_value()) return loaded.config.admin->socket;
  output.problems << fmt::format(
      "bartizan {}: {} has no [admin]: write socket = \"PATH\" in it and restart{}{}\n", command,
      config, instead.empty() ? "" : ", or ", instead);
  return "";
}

Result<AskedPage> ask_admin(const std::string& socket, std::string_view question) {
  const Result<Descriptor> connected = connect_to(socket);
  if (!connected.has_value()) {
    return fail(ErrorCode::closed, Fault::server,
                fmt::format("{}: {}; is the gateway running?", socket, connected.error().detail));
  }
  Result<AskedPage> page = ask_page(*connected, question, steady_now() + kPatience);
  if (page.has_value()) return page;
  return fail(ErrorCode::closed, Fault::server, fmt::format("{}: {}", socket, page.error().detail));
}

std::string reason_of_page(const AskedPage& page) {
  const Bytes bytes{std::string_view(page.text)};
  JsonDocument document;
  const Result<JsonValue> answer = document.read(bytes);
  return std::string(answer.has_value() ? answer->find("reason").text() : page.text);
}

}  // namespace bartizan
