#include "gateway/status/status_pages.h"

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "gateway/approval/approval_desk.h"
#include "gateway/approval/approval_webhook.h"
#include "gateway/export/exports.h"
#include "gateway/export/head_keeper.h"
#include "gateway/process/process_usage.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/version.h"
#include "gateway/status/gateway_view.h"
#include "gateway/status/registration_orders.h"
#include "gateway/status/revocation_pages.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

std::string quarantine_json(const Quarantine& quarantine) {
  std::string json = R"({"count":)" + std::to_string(quarantine.count) + R"(,"tools":[)";
  for (const auto& [tool, why] : quarantine.tools) {
    if (!json.ends_with('[')) json += ",";
    json += R"({"name":)" + json_string(tool.name) + R"(,"reason":)" + json_string(why) + "}";
  }
  return json + "]}";
}

std::string servers_json(const std::vector<WorkerView>& views) {
  const Quarantines quarantines = merged_quarantines(views);
  std::string json = "{";
  for (const auto& [name, server] : views.front().directory->servers) {
    if (json.size() > 1) json += ",";
    json += json_string(name) + R"(:{"up":)" + (server.is_up() ? "true" : "false");
    json += R"(,"legacy":)" + std::string(server.legacy.has_value() ? "true" : "false");
    json += R"(,"modern":)" + std::string(server.modern.has_value() ? "true" : "false");
    if (!server.failure.empty() && !server.is_up())
      json += R"(,"detail":)" + json_string(server.failure);
    const auto quarantine = quarantines.find(name);
    if (quarantine != quarantines.end())
      json += R"(,"quarantined":)" + quarantine_json(quarantine->second);
    json += "}";
  }
  return json + "}";
}

std::string warnings_json(Gateway& gateway) {
  std::string json;
  for (const std::string& warning : status_warnings(gateway))
    json += (json.empty() ? "" : ",") + json_string(warning);
  return json.empty() ? json : R"(,"warnings":[)" + json + "]";
}

/// What runs, and what became of the last attempt to replace it.
std::string config_json(const Gateway& gateway, const WorkerView& view) {
  const ReloadStatus& reloads = gateway.reloads;
  std::string json = R"({"digest":)" + json_string(view.snapshot->policy->digest());
  json += R"(,"reloads":{"applied":)" + std::to_string(reloads.applied);
  json += R"(,"refused":)" + std::to_string(reloads.refused);
  json += R"(,"unchanged":)" + std::to_string(reloads.unchanged);
  json += R"(,"last":)" + json_string(text(reloads.last));
  const std::string& error = reloads.refusal.sentence;
  if (!error.empty()) json += R"(,"error":)" + json_string(error);
  return json + "}}";
}

void set_reloads(MetricShard& sum, const ReloadStatus& reloads) {
  const auto count = [&sum](ReloadResult result, std::uint64_t times) {
    sum.add(Metric::reloads, std::array<std::string_view, 1>{text(result)},
            static_cast<double>(times));
  };
  count(ReloadResult::applied, reloads.applied);
  count(ReloadResult::refused, reloads.refused);
  count(ReloadResult::unchanged, reloads.unchanged);
  sum.set(Metric::reload_good, {}, reloads.last == ReloadResult::refused ? 0 : 1);
  sum.set(Metric::reload_time, {}, static_cast<double>(reloads.last_at));
}

void add_approvals(MetricShard& sum, const ApprovalDesk& desk) {
  for (std::size_t i = 0; i < kApprovalStates; ++i) {
    const auto state = static_cast<ApprovalState>(i);
    sum.add(Metric::approvals, std::array<std::string_view, 1>{text(state)},
            static_cast<double>(desk.steps(state)));
  }
  sum.set(Metric::approvals_waiting, {}, static_cast<double>(desk.waiting()));
}

void add_webhook(MetricShard& sum, const WebhookCounts& counts) {
  const auto count = [&sum](std::string_view result, std::uint64_t times) {
    sum.add(Metric::approval_events, std::array<std::string_view, 1>{result},
            static_cast<double>(times));
  };
  count("sent", counts.sent);
  count("failed", counts.failed);
  count("dropped", counts.dropped);
}

void add_exports(MetricShard& sum, const Exports& exports, std::uint64_t last) {
  for (const Exporter* one : exports.all()) {
    const ExportCounts& counts = one->counts();
    const std::string& name = one->options().name;
    const auto add = [&](Metric metric, std::string_view label, std::uint64_t times) {
      sum.add(metric, std::array<std::string_view, 2>{name, label}, static_cast<double>(times));
    };
    if (one->options().kind == "alert") {
      add(Metric::alerts, "sent", counts.sent);
      add(Metric::alerts, "failed", counts.failures);
      add(Metric::alerts, "given_up", counts.refused);
      continue;
    }
    add(Metric::export_records, "sent", counts.sent);
    add(Metric::export_records, "filtered", counts.filtered);
    add(Metric::export_records, "refused", counts.refused);
    add(Metric::export_alarms, "chain", counts.breaks);
    add(Metric::export_alarms, "conflict", counts.conflicts);
    const std::array<std::string_view, 1> label{name};
    sum.add(Metric::export_failures, label, static_cast<double>(counts.failures));
    const std::uint64_t position = counts.position;
    sum.set(Metric::export_behind, label,
            static_cast<double>(last > position ? last - position : 0));
  }
}

void set_process(MetricShard& sum) {
  const ProcessUsage usage = read_process_usage();
  sum.add(Metric::process_cpu, {}, usage.cpu_seconds);
  sum.set(Metric::process_started, {}, usage.started_at);
  sum.set(Metric::process_resident, {}, static_cast<double>(usage.resident_bytes));
  sum.set(Metric::process_virtual, {}, static_cast<double>(usage.virtual_bytes));
  sum.set(Metric::process_fds, {}, static_cast<double>(usage.open_fds));
  sum.set(Metric::process_fds_max, {}, static_cast<double>(usage.max_fds));
  sum.set(Metric::process_threads, {}, static_cast<double>(usage.threads));
}

void set_expiry(MetricShard& sum, const Gateway& gateway, const Config& config) {
  for (const ApiKeyConfig& key : config.auth.api_keys) {
    if (!key.expires.has_value()) continue;
    sum.set(Metric::key_expiry, std::array<std::string_view, 1>{key.name},
            static_cast<double>(*key.expires));
  }
  for (const auto& [listener, expiry] : gateway.certificate_expiry) {
    sum.set(Metric::certificate_expiry, std::array<std::string_view, 1>{listener},
            static_cast<double>(expiry));
  }
}

void add_heads(MetricShard& sum, const HeadCounts& counts) {
  // Without [audit.heads] there is none.
  if (counts.kept == 0 && counts.failed == 0) return;
  const auto add = [&sum](std::string_view result, std::uint64_t times) {
    sum.add(Metric::signed_heads, std::array<std::string_view, 1>{result},
            static_cast<double>(times));
  };
  add("kept", counts.kept);
  add("failed", counts.failed);
  if (counts.kept == 0) return;
  sum.set(Metric::signed_head, {}, static_cast<double>(counts.sequence));
  sum.set(Metric::signed_head_time, {}, static_cast<double>(counts.signed_at));
}

StatusPage ready_page(Gateway& gateway, const std::vector<WorkerView>& views) {
  const WorkerView& view = views.front();
  const std::string why = not_ready(gateway, view);
  const bool observes = view.snapshot->policy->observes(seconds_now());
  std::string body = R"({"ready":)" + std::string(why.empty() ? "true" : "false");
  if (!why.empty()) body += R"(,"reason":)" + json_string(why);
  body += R"(,"policy_mode":)" + json_string(observes ? "observe" : "enforce");
  body += warnings_json(gateway);
  body += R"(,"config":)" + config_json(gateway, view);
  body += R"(,"servers":)" + servers_json(views) + "}\n";
  return {.status = why.empty() ? 200 : 503, .body = std::move(body)};
}

StatusPage metrics_page(Gateway& gateway, std::vector<WorkerView> views) {
  MetricShard sum;
  double sessions = 0;
  double pending = 0;
  std::map<std::string, Upstream::Load, std::less<>> loads;
  for (const WorkerView& view : views) {
    sum.merge(view.metrics);
    sessions += static_cast<double>(view.sessions);
    pending += static_cast<double>(view.pending_records);
    for (const auto& [name, load] : view.loads) {
      loads[name].in_flight += load.in_flight;
      loads[name].waiting += load.waiting;
    }
  }
  for (const auto& [name, load] : loads) {
    const std::array<std::string_view, 1> label{name};
    sum.set(Metric::server_in_flight, label, static_cast<double>(load.in_flight));
    sum.set(Metric::server_queue, label, static_cast<double>(load.waiting));
  }
  sum.set(Metric::sessions, {}, sessions);
  sum.set(Metric::record_lag, {}, pending);
  sum.set(Metric::ready, {}, not_ready(gateway, views.front()).empty() ? 1 : 0);
  sum.add(Metric::throttled, {}, static_cast<double>(gateway.refusals.throttled()));
  sum.set(Metric::connections, {}, static_cast<double>(gateway.connections.total()));
  sum.set(Metric::record_head, {}, static_cast<double>(gateway.log.head().sequence));
  sum.add(Metric::record_failures, {}, static_cast<double>(gateway.log.failures()));
  sum.set(Metric::record_free, {}, static_cast<double>(gateway.log.free_bytes()));
  sum.add(Metric::record_rotations, {}, static_cast<double>(gateway.log.rotations()));
  sum.add(Metric::record_removed, {}, static_cast<double>(gateway.log.removed_files()));
  sum.add(Metric::capture_calls, {}, static_cast<double>(gateway.capture.kept()));
  sum.add(Metric::capture_missing, {}, static_cast<double>(gateway.capture.missing()));
  const std::uint64_t failures = gateway.store == nullptr ? 0 : gateway.store->failures();
  sum.add(Metric::state_mismatches, {}, gateway.state_mismatch.empty() ? 0 : 1);
  sum.add(Metric::state_failures, {}, static_cast<double>(failures));
  sum.set(Metric::memory_used, {}, static_cast<double>(gateway.memory.used()));
  sum.set(Metric::memory_max, {}, static_cast<double>(gateway.memory.bytes_max()));
  set_reloads(sum, gateway.reloads);
  set_process(sum);
  set_expiry(sum, gateway, views.front().snapshot->config);
  if (gateway.approvals != nullptr) add_approvals(sum, *gateway.approvals);
  if (gateway.exports != nullptr) {
    add_exports(sum, *gateway.exports, gateway.log.head().sequence);
  }
  if (gateway.head_counts != nullptr) add_heads(sum, *gateway.head_counts);
  if (gateway.webhook_counts != nullptr) add_webhook(sum, *gateway.webhook_counts);
  const WorkerView& first = views.front();
  const Quarantines quarantines = merged_quarantines(views);
  sum.set(Metric::policy_observing, {}, first.snapshot->policy->observes(seconds_now()) ? 1 : 0);
  for (const auto& [name, server] : first.directory->servers) {
    const std::array<std::string_view, 1> label{name};
    const auto quarantine = quarantines.find(name);
    const std::size_t count = quarantine == quarantines.end() ? 0 : quarantine->second.count;
    sum.set(Metric::server_up, label, server.is_up() ? 1 : 0);
    // An alert on a count sees its first step only where it was 0 before.
    sum.add(Metric::server_restarts, label, 0);
    for (const std::string_view to : {"open", "closed"})
      sum.add(Metric::server_circuit, std::array<std::string_view, 2>{name, to}, 0);
    sum.set(Metric::quarantined, label, static_cast<double>(count));
  }
  sum.set(Metric::build,
          std::array<std::string_view, 2>{kVersion, first.snapshot->policy->digest()}, 1);
  return {.content_type = "text/plain; version=0.0.4; charset=utf-8", .body = sum.serialise()};
}

}  // namespace

Task<StatusPage> status_page(Loop& asking, Gateway& gateway, std::string_view path) {
  if (path == "/healthz") {
    co_return StatusPage{.body = R"({"status":"ok","audit_head":)" +
                                 json_string(gateway.log.head().text()) + "}\n"};
  }
  if (path != "/readyz" && path != "/metrics") co_return StatusPage{.status = 404, .body = "{}\n"};
  const bool is_ready = path == "/readyz";
  std::vector<WorkerView> views = co_await look_at_all(asking, gateway);
  co_return is_ready ? ready_page(gateway, views) : metrics_page(gateway, std::move(views));
}

Task<StatusPage> admin_page(Loop& asking, Gateway& gateway, std::string_view path) {
  if (path.starts_with("/api/revocations")) co_return revocations_page(gateway, path);
  if (path == "/api/registrations") co_return registrations_page(gateway);
  if (path != "/api/status") co_return StatusPage{.status = 404, .body = "{}\n"};
  const std::vector<WorkerView> views = co_await look_at_all(asking, gateway);
  std::size_t sessions = 0;
  for (const WorkerView& view : views)
    sessions += view.sessions;
  std::string body = R"({"version":)" + json_string(kVersion);
  body += R"(,"policy":)" + json_string(views.front().snapshot->policy->digest());
  body += R"(,"config":)" + config_json(gateway, views.front());
  body += R"(,"reload_refusal":)" + json_string(gateway.reloads.refusal.detail);
  body += R"(,"workers":)" + std::to_string(views.size());
  body += R"(,"sessions":)" + std::to_string(sessions);
  body += R"(,"connections":)" + std::to_string(gateway.connections.total());
  body += R"(,"calls_in_progress":)" + std::to_string(gateway.calls_in_progress.load());
  body += R"(,"children":)" + std::to_string(gateway.children.load());
  body += R"(,"audit_head":)" + json_string(gateway.log.head().text());
  body += R"(,"memory":{"used":)" + std::to_string(gateway.memory.used());
  body += R"(,"peak":)" + std::to_string(gateway.memory.peak());
  body += R"(,"max":)" + std::to_string(gateway.memory.bytes_max()) + "}";
  body += R"(,"servers":)" + servers_json(views) + "}\n";
  co_return StatusPage{.body = std::move(body)};
}

}  // namespace bartizan
