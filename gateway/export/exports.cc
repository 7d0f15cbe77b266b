#include "gateway/export/exports.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "gateway/export/host_name.h"
#include "gateway/runtime/clock.h"

namespace bartizan {
namespace {

auto parts_of(const SecretReference& secret) {
  return std::tuple(secret.kind, secret.name);
}

bool is_same(const ExportConfig& one, const ExportConfig& other) {
  const auto parts = [](const ExportConfig& sink) {
    return std::tuple(sink.type, sink.url, sink.format, sink.ca_file, sink.plaintext,
                      parts_of(sink.token), sink.user, parts_of(sink.password), sink.index,
                      sink.log_tool_invocations, sink.log_performance_events,
                      sink.log_protocol_errors, sink.hold);
  };
  return parts(one) == parts(other);
}

}  // namespace

std::string instance_of(const Config& config) {
  return config.audit.instance.empty() ? host_name() : config.audit.instance;
}

Result<Exports::Change> Exports::prepare(const Config& config) const {
  Change change;
  for (const auto& [name, sink] : config.exports) {
    const auto running = running_.find(name);
    const bool stays = running != running_.end() && instance_of(config) == instance_ &&
                       is_same(running->second->config(), sink) &&
                       running->second->files() == digest_files(sink);
    if (stays) continue;
    auto opened = Exporter::open(sink, record_, instance_of(config));
    if (!opened.has_value()) return std::unexpected(opened.error());
    change.opened.push_back(*std::move(opened));
  }
  return change;
}

void Exports::apply(const Config& config, Change change) {
  instance_ = instance_of(config);
  Running next;
  for (const auto& [name, exporter] : running_) {
    const bool is_replaced = std::ranges::any_of(
        change.opened,
        [&name](const std::shared_ptr<Exporter>& opened) { return opened->config().name == name; });
    if (config.exports.contains(name) && !is_replaced) {
      next.emplace(name, exporter);
    } else {
      exporter->end(std::chrono::milliseconds(0));
    }
  }
  for (const std::shared_ptr<Exporter>& opened : change.opened) {
    next.insert_or_assign(opened->config().name, opened);
    opened->start();
  }
  const std::lock_guard lock(mutex_);
  running_ = std::move(next);
}

void Exports::end(std::chrono::milliseconds patience) {
  // All at the same time: each has the whole of it.
  std::vector<std::thread> ending;
  for (const auto& [name, exporter] : running_)
    ending.push_back(start_thread([exporter, patience] { exporter->end(patience); }));
  for (std::thread& thread : ending)
    thread.join();
  const std::lock_guard lock(mutex_);
  running_.clear();
}

std::string Exports::waits_for(const ChainFile& file, std::chrono::system_clock::time_point now,
                               std::chrono::system_clock::duration retention) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, exporter] : running_) {
    if (exporter->counts().position >= file.last.sequence) continue;
    if (now - file.ended >= retention + exporter->config().hold) continue;
    return "export " + name + " has not sent it yet";
  }
  return {};
}

void Exports::announce_head(const std::vector<std::string>& names, const std::string& jws) {
  const std::lock_guard lock(mutex_);
  for (const std::string& name : names) {
    const auto found = running_.find(name);
    if (found != running_.end()) found->second->announce_head(jws);
  }
}

std::vector<const Exporter*> Exports::all() const {
  std::vector<const Exporter*> all;
  for (const auto& [name, exporter] : running_)
    all.push_back(exporter.get());
  return all;
}

}  // namespace bartizan
