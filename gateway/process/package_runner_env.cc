#include "gateway/process/package_runner_env.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "schemas/base/limits.h"

namespace bartizan {
namespace {

constexpr std::array<std::string_view, 18> kFetchVariables{
    "HTTP_PROXY",          "HTTPS_PROXY",       "ALL_PROXY",        "NO_PROXY",
    "http_proxy",          "https_proxy",       "all_proxy",        "no_proxy",
    "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE",     "SSL_CERT_DIR",     "REQUESTS_CA_BUNDLE",
    "npm_config_registry", "npm_config_cafile", "npm_config_proxy", "npm_config_https_proxy",
    "UV_INDEX_URL",        "DOCKER_HOST"};
constexpr std::array<std::string_view, 11> kFetchers{
    "npx", "npm", "bunx", "bun", "pnpm", "yarn", "uvx", "uv", "pipx", "docker", "podman"};

}  // namespace

bool is_fetch_variable(std::string_view name) {
  return std::ranges::find(kFetchVariables, name) != kFetchVariables.end();
}

bool is_fetcher(std::string_view program) {
  const std::string_view name = program.substr(program.rfind('/') + 1);
  return std::ranges::find(kFetchers, name) != kFetchers.end();
}

std::vector<std::string> withheld_variables(const ServerConfig& server,
                                            const std::vector<std::string>& names) {
  std::vector<std::string> withheld;
  if (server.command.empty() || !is_fetcher(server.command.front())) return withheld;
  for (const std::string& name : names) {
    const bool is_given = std::ranges::find(server.env_allow, name) != server.env_allow.end() ||
                          server.env.contains(name) || server.env_secrets.contains(name);
    if (is_fetch_variable(name) && !is_given) withheld.push_back(name);
  }
  return withheld;
}

std::vector<std::string> environment_names() {
  std::vector<std::string> names;
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view pair = *entry;
    names.emplace_back(pair.substr(0, pair.find('=')));
  }
  std::ranges::sort(names);
  return names;
}

std::string explain_silence(const ServerConfig& server, const std::vector<std::string>& names) {
  std::string text = fmt::format("started, but did not introduce itself within {} s",
                                 limits::server_start_deadline.count());
  if (server.command.empty() || !is_fetcher(server.command.front())) return text;
  text +=
      "; it fetches packages, and of the environment it is given only PATH, HOME and what is "
      "named";
  const std::vector<std::string> withheld = withheld_variables(server, names);
  if (withheld.empty()) return text + ": proxies and certificates need env_allow, or wrap --env";
  return text + fmt::format(": {} need env_allow, or wrap --env", fmt::join(withheld, ", "));
}

}  // namespace bartizan
