#include "gateway/export/exports.h"

#include <functional>
#include <thread>
#include <utility>

#include "audit/record_class.h"
#include "gateway/export/alert_sink.h"
#include "gateway/export/config_signature.h"
#include "gateway/export/host_name.h"
#include "gateway/runtime/clock.h"

namespace bartizan {
namespace {

/// A configured export.
struct Wanted {
  std::string key;
  std::string signature;  ///< Changes when anything of it changes.
  std::function<Result<std::shared_ptr<Exporter>>()> open;
};

std::string signature_of(const ExportConfig& sink) {
  return joined({std::to_string(static_cast<int>(sink.type)), sink.url,
                 std::to_string(static_cast<int>(sink.format)), digest_of_file(sink.ca_file),
                 sink.plaintext ? "plaintext" : "", digest_of(sink.token), sink.user,
                 digest_of(sink.password), sink.index, sink.log_tool_invocations ? "tools" : "",
                 sink.log_performance_events ? "performance" : "",
                 sink.log_protocol_errors ? "protocol" : "", std::to_string(sink.hold.count())});
}

std::string signature_of(const AlertConfig& alert) {
  std::string command;
  for (const std::string& word : alert.command)
    command += joined({word});
  return joined({alert.url, command, digest_of(alert.secret), digest_of_file(alert.ca_file),
                 std::to_string(static_cast<int>(alert.at_least)),
                 std::to_string(alert.group.count())});
}

ExporterOptions options_of(const AlertConfig& alert) {
  return {.kind = "alert",
          .name = alert.name,
          .passes =
              [at_least = alert.at_least](const Record& record) {
                // The decision on a refused call was sent; its outcome would repeat it.
                if (record.outcome == Outcome::denied) return false;
                return class_of(record) == RecordClass::security_event &&
                       severity_of(record) >= at_least;
              },
          .begins_at_end = true};
}

std::vector<Wanted> wanted_by(const Config& config, const std::string& record,
                              const Launcher& launcher) {
  const std::string instance = instance_of(config);
  std::vector<Wanted> wanted;
  for (const auto& entry : config.exports) {
    const ExportConfig& sink = entry.second;
    wanted.push_back(
        {"export " + sink.name, instance + signature_of(sink), [&sink, record, instance] {
           return Exporter::open(options_of(sink), record, instance,
                                 [&sink](Loop& loop) { return open_sink(loop, sink); });
         }});
  }
  for (const auto& entry : config.alerts) {
    const AlertConfig& alert = entry.second;
    wanted.push_back({"alert " + alert.name, instance + signature_of(alert),
                      [&alert, &launcher, record, instance] {
                        return Exporter::open(options_of(alert), record, instance, [&](Loop& loop) {
                          return open_alert_sink(loop, alert, launcher);
                        });
                      }});
  }
  return wanted;
}

}  // namespace

std::string instance_of(const Config& config) {
  return config.audit.instance.empty() ? host_name() : config.audit.instance;
}

Result<Exports::Change> Exports::prepare(const Config& config) const {
  Change change;
  for (const Wanted& wanted : wanted_by(config, record_, launcher_)) {
    change.signatures.emplace(wanted.key, wanted.signature);
    const auto running = running_.find(wanted.key);
    if (running != running_.end() && running->second.signature == wanted.signature) continue;
    auto opened = wanted.open();
    if (!opened.has_value()) return std::unexpected(opened.error());
    change.opened.emplace(wanted.key, *std::move(opened));
  }
  return change;
}

void Exports::apply(Change change) {
  std::map<std::string, Running, std::less<>> next;
  for (const auto& [key, running] : running_) {
    const bool stays = change.signatures.contains(key) && !change.opened.contains(key);
    if (stays) {
      next.emplace(key, running);
    } else {
      running.exporter->end(std::chrono::milliseconds(0));
    }
  }
  for (const auto& [key, opened] : change.opened) {
    next.emplace(key, Running{change.signatures.at(key), opened});
    opened->start();
  }
  const std::lock_guard lock(mutex_);
  running_ = std::move(next);
}

void Exports::end(std::chrono::milliseconds patience) {
  // All at the same time, so each has the full time.
  std::vector<std::thread> ending;
  ending.reserve(running_.size());
  for (const auto& [key, running] : running_) {
    ending.push_back(
        start_thread([exporter = running.exporter, patience] { exporter->end(patience); }));
  }
  for (std::thread& thread : ending)
    thread.join();
  const std::lock_guard lock(mutex_);
  running_.clear();
}

std::string Exports::waits_for(const ChainFile& file, std::chrono::system_clock::time_point now,
                               std::chrono::system_clock::duration retention) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, running] : running_) {
    const Exporter& exporter = *running.exporter;
    if (exporter.counts().position >= file.last.sequence) continue;
    if (now - file.ended >= retention + exporter.options().hold) continue;
    return key + " has not sent it yet";
  }
  return {};
}

void Exports::announce_head(const std::vector<std::string>& names, const std::string& jws) {
  const std::lock_guard lock(mutex_);
  for (const std::string& name : names) {
    const auto found = running_.find("export " + name);
    if (found != running_.end()) found->second.exporter->announce_head(jws);
  }
}

std::vector<const Exporter*> Exports::all() const {
  std::vector<const Exporter*> all;
  all.reserve(running_.size());
  for (const auto& [key, running] : running_)
    all.push_back(running.exporter.get());
  return all;
}

}  // namespace bartizan
