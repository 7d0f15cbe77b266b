#include "config/load/load_sandbox.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace bartizan {
namespace {

using Level = SandboxConfig::Level;
using Network = SandboxConfig::Network;

constexpr std::array<std::pair<std::string_view, Network>, 2> kNetworks{
    {{"host", Network::host}, {"none", Network::none}}};

/// No program starts with less.
constexpr std::int64_t kBytesMin = std::int64_t{1} << 20;
constexpr Range kBytes{.min = kBytesMin, .max = std::int64_t{1} << 44};
constexpr std::int64_t kSecondsMax = 86'400;

/// File lists only make sense if everything else is denied.
void check_file_lists(TableReader& table, const SandboxConfig& sandbox) {
  if (sandbox.level != Level::none) {
    if (table.has("read") || table.has("write")) return;
    table.problems().error(table.has("level") ? table.where("level") : table.where(),
                           "a level needs \"read\": its program's libraries are files, too",
                           "such as read = [\"/usr\", \"/etc\"]");
    return;
  }
  for (const std::string_view key : {"read", "write"}) {
    if (!table.has(key)) continue;
    table.problems().error(table.where(key),
                           fmt::format("{} has no effect without a level", quote(key)),
                           "level = \"process\" or level = \"container\"");
  }
}

/// Reports a key whose value another key has already set.
void refuse_second(TableReader& table, std::string_view key, std::string_view first) {
  table.problems().error(table.where(key),
                         fmt::format("{} says what {} says", quote(key), quote(first)),
                         "leave out one of the two");
}

}  // namespace

void load_security_profile(TableReader& server_table, ServerConfig& server) {
  auto table = server_table.table("security_profile");
  if (!table) return;
  const auto level = table->choice<Level>("sandbox_level", kSandboxLevels);
  server.sandbox.level = level.value_or(Level::none);
  if (level.value_or(Level::none) != Level::none && !server_table.has("sandbox")) {
    table->problems().error(table->where("sandbox_level"),
                            "a level needs a \"sandbox\" with \"read\"",
                            "such as sandbox = { read = [\"/usr\", \"/etc\"] }");
  }
  if (const auto seconds = table->integer("max_execution_time", {.min = 1, .max = kSecondsMax})) {
    server.timeout = std::chrono::seconds(*seconds);
    if (server_table.has("timeout")) {
      refuse_second(server_table, "timeout", "security_profile.max_execution_time");
    }
  }
  server.sandbox.total_memory =
      static_cast<std::uint64_t>(table->integer("max_memory", kBytes).value_or(0));
  table->finish();
}

void load_sandbox(TableReader& server_table, ServerConfig& server) {
  auto table = server_table.table("sandbox");
  if (!table) return;
  const auto number = [&table](std::string_view key, std::int64_t min, std::int64_t max) {
    return static_cast<std::uint32_t>(table->integer(key, {.min = min, .max = max}).value_or(0));
  };
  SandboxConfig& sandbox = server.sandbox;
  if (const auto level = table->choice<Level>("level", kSandboxLevels)) {
    if (sandbox.level != Level::none) {
      refuse_second(*table, "level", "security_profile.sandbox_level");
    }
    sandbox.level = *level;
  }
  sandbox.user = table->text("user").value_or("");
  sandbox.home = table->path("home").value_or("");
  const Network usual = sandbox.level == Level::none ? Network::host : Network::none;
  sandbox.network = table->choice<Network>("network", kNetworks).value_or(usual);
  sandbox.read = values(table->paths("read"));
  sandbox.write = values(table->paths("write"));
  check_file_lists(*table, sandbox);
  sandbox.memory = table->size("memory", kBytes).value_or(0);
  sandbox.open_files = number("open_files", 8, 1'048'576);
  if (const auto total = table->size("total_memory", kBytes)) {
    if (sandbox.total_memory != 0) {
      refuse_second(*table, "total_memory", "security_profile.max_memory");
    }
    sandbox.total_memory = *total;
  }
  sandbox.processes = number("processes", 1, 1'048'576);
  sandbox.cpu_percent = number("cpu_percent", 1, 100'000);
  table->finish();
}

}  // namespace bartizan
