#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bartizan {

/// One metric family: its name, help text and label names, fixed at compile time.
enum class MetricType : std::uint8_t { counter, gauge, histogram };
struct MetricFamily {
  std::string_view name;
  std::string_view help;
  MetricType type;
  std::vector<std::string_view> labels;
  std::span<const double> buckets = {};  ///< Upper bounds of a histogram in seconds, ascending.
};

/// The metric families of the gateway, as indexes into `metric_families()`.
enum class Metric : std::uint8_t {
  policy_decisions,      ///< bartizan_policy_decisions_total{decision,reason,rule,server,tool}
  tool_invocations,      ///< mcp_tool_invocations_total{tool_id,status}
  tool_duration,         ///< mcp_tool_execution_duration{tool_id,status}, seconds
  performance_warnings,  ///< mcp_performance_warnings_total{tool_id,warning_type}
  server_operation,  ///< mcp_server_operation_duration_seconds{mcp_method_name,server,gen_ai_tool_name,error_type,network_transport,mcp_protocol_version}
  client_operation,  ///< mcp_client_operation_duration_seconds{mcp_method_name,server,error_type,network_transport}
  sessions,            ///< bartizan_sessions
  connections,         ///< bartizan_connections
  ready,               ///< bartizan_ready
  server_up,           ///< bartizan_server_up{server}
  server_restarts,     ///< bartizan_server_restarts_total{server}
  server_dropped,      ///< bartizan_server_messages_dropped_total{server,reason}
  server_queue,        ///< bartizan_server_queue_calls{server}
  server_circuit,      ///< bartizan_server_circuit_changes_total{server,to}
  server_in_flight,    ///< bartizan_server_in_flight_calls{server}
  http_refusals,       ///< bartizan_http_refusals_total{reason}
  throttled,           ///< bartizan_throttled_requests_total
  records,             ///< bartizan_audit_records_total
  record_failures,     ///< bartizan_audit_failures_total
  record_head,         ///< bartizan_audit_head_sequence
  record_lag,          ///< bartizan_audit_pending_records
  record_free,         ///< bartizan_audit_free_bytes
  record_rotations,    ///< bartizan_audit_rotations_total
  record_removed,      ///< bartizan_audit_removed_files_total
  memory_used,         ///< bartizan_memory_reserved_bytes
  memory_max,          ///< bartizan_memory_max_bytes
  series_dropped,      ///< bartizan_metric_series_limited_total{metric}
  reloads,             ///< bartizan_config_reloads_total{result}
  reload_good,         ///< bartizan_config_last_reload_successful
  reload_time,         ///< bartizan_config_last_reload_timestamp_seconds
  policy_observing,    ///< bartizan_policy_observing
  tools_unusable,      ///< bartizan_tools_unusable_total{server,reason}
  quarantined,         ///< bartizan_tools_quarantined{server}
  limit_waits,         ///< bartizan_limit_waits_total{limit,result}
  flow_marks,          ///< bartizan_flow_marks_total{label}
  results_invalid,     ///< bartizan_results_invalid_total{server,tool,action}
  redactions,          ///< bartizan_redactions_total{detector,action,carrier}
  sanitisings,         ///< bartizan_sanitisings_total{what,action,carrier}
  capture_calls,       ///< bartizan_capture_calls_total
  capture_missing,     ///< bartizan_capture_missing_calls_total
  state_mismatches,    ///< bartizan_state_mismatches_total
  state_failures,      ///< bartizan_state_failures_total
  approvals,           ///< bartizan_approvals_total{state}
  approvals_waiting,   ///< bartizan_approvals_waiting
  approval_events,     ///< bartizan_approval_webhook_events_total{result}
  export_records,      ///< bartizan_export_records_total{export,result}
  export_failures,     ///< bartizan_export_failures_total{export}
  export_behind,       ///< bartizan_export_behind_records{export}
  export_alarms,       ///< bartizan_export_alarms_total{export,cause}
  alerts,              ///< bartizan_alerts_total{alert,result}
  decide_seconds,      ///< bartizan_decide_seconds{decision}
  key_expiry,          ///< bartizan_key_expiry_timestamp_seconds{key}
  certificate_expiry,  ///< bartizan_certificate_expiry_timestamp_seconds{listener}
  process_cpu,         ///< process_cpu_seconds_total
  process_started,     ///< process_start_time_seconds
  process_resident,    ///< process_resident_memory_bytes
  process_virtual,     ///< process_virtual_memory_bytes
  process_fds,         ///< process_open_fds
  process_fds_max,     ///< process_max_fds
  process_threads,     ///< process_threads
  signed_heads,        ///< bartizan_audit_signed_heads_total{result}
  signed_head,         ///< bartizan_audit_signed_head_sequence
  signed_head_time,    ///< bartizan_audit_signed_head_timestamp_seconds
  build,               ///< bartizan_build_info{version,policy}
};
inline constexpr std::size_t kMetricCount = static_cast<std::size_t>(Metric::build) + 1;

const std::array<MetricFamily, kMetricCount>& metric_families();

/// The most buckets of a histogram.
inline constexpr std::size_t kBucketsMax = 18;
/// Upper bounds, in seconds, for the times that clients and servers wait. They are those of
/// OpenTelemetry's conventions for MCP, and four smaller ones: a call through the gateway takes
/// less than 10 ms.
std::span<const double> duration_buckets();
/// Upper bounds, in seconds, for decisions, which take some 100 µs.
std::span<const double> decision_buckets();

/// The metrics of one worker: plain values that only this worker writes. A family keeps at most
/// `limits::metric_series_max` label sets. From seven eighths of that on, labels that peers can
/// invent (tools, methods) are counted as `other`. At the bound, all labels are. Labels that are
/// not UTF-8, or are longer than a name may be, are always counted as `other`.
///
/// Cost: a probe by hash: 30 ns for two labels, 50 ns for five. An existing series needs no
///       allocation.
class MetricShard {
 public:
  MetricShard();
  ~MetricShard();
  MetricShard(MetricShard&&) noexcept;
  MetricShard& operator=(MetricShard&&) noexcept;
  MetricShard(const MetricShard&);

  /// Adds to a counter or a gauge. A counter never decreases.
  void add(Metric metric, std::span<const std::string_view> labels, double amount = 1);
  /// Sets a gauge.
  void set(Metric metric, std::span<const std::string_view> labels, double value);
  /// Adds an observation to a histogram. Negative durations are ignored.
  void observe(Metric metric, std::span<const std::string_view> labels, double seconds);

  /// Adds another worker's values: sums counters, gauges and buckets. The bound on series also
  /// holds for the sum.
  void merge(const MetricShard& other);

  /// The Prometheus text format 0.0.4, serialised by prometheus-cpp.
  std::string serialise() const;
  /// The number of label sets of the family.
  std::size_t series(Metric metric) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bartizan
