#include "gateway/worker/memory_watch.h"

#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "gateway/process/tree_memory.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "gateway/worker/worker.h"

namespace bartizan {
namespace {

constexpr std::string_view kHighMemory = "high_memory";

std::string in_mebibytes(std::uint64_t bytes) {
  return fmt::format("{} MiB", (bytes + (1U << 19)) >> 20);
}

void warn(Worker& worker, const InstanceKey& key, std::uint64_t bytes, std::uint64_t bound) {
  const std::string detail = fmt::format("{}: {}, where {} are expected", kHighMemory,
                                         in_mebibytes(bytes), in_mebibytes(bound));
  log(LogLevel::warning, "server", {{"server", key.server}, {"state", detail}});
  worker.loop.metrics().add(Metric::performance_warnings,
                            std::array<std::string_view, 2>{key.server, kHighMemory});
  Record record{.kind = RecordKind::server, .time = system_now()};
  record.principal = "gateway";
  record.server = key.server;
  record.detail = detail;
  worker.recorder.note(record);
}

}  // namespace

void MemoryWatch::look(Worker& worker) {
  std::set<InstanceKey> high;
  for (const auto& [key, process] : worker.upstreams.processes()) {
    const auto server = worker.snapshot->config.servers.find(key.server);
    if (server == worker.snapshot->config.servers.end()) continue;
    const auto& bound = server->second.high_memory;
    const auto bytes = bound.has_value() ? tree_memory(process) : std::nullopt;
    if (!bytes.has_value()) continue;
    const bool was_high = high_.contains(key);
    if (*bytes > *bound && !was_high) warn(worker, key, *bytes, *bound);
    if (*bytes > *bound || (was_high && *bytes > *bound - *bound / 10)) high.insert(key);
  }
  high_ = std::move(high);
}

}  // namespace bartizan
