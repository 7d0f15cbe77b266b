#include <array>

#include "audit/metrics.h"

namespace bartizan {

// In the order of `Metric`. A name, once published, stays: dashboards are built on it.
const std::array<MetricFamily, kMetricCount>& metric_families() {
  using enum MetricType;
  static const std::array<MetricFamily, kMetricCount> kFamilies = {{
      {"bartizan_policy_decisions_total",
       "Decisions on calls, by verdict, reason and the rule that gave it.",
       counter,
       {"decision", "reason", "rule", "server", "tool"}},
      {"mcp_tool_invocations_total",
       "Tool calls by how they ended: success, tool_error, denied, timeout or failed.",
       counter,
       {"tool_id", "status"}},
      {"mcp_tool_execution_duration",
       "Seconds from a whole tool call read to its answer ready.",
       histogram,
       {"tool_id", "status"}},
      {"mcp_server_operation_duration_seconds",
       "Seconds that a request to the gateway took, as its clients see it.",
       histogram,
       {"mcp_method_name", "gen_ai_tool_name", "error_type", "network_transport",
        "mcp_protocol_version"}},
      {"mcp_client_operation_duration_seconds",
       "Seconds that a request of the gateway to a server took.",
       histogram,
       {"mcp_method_name", "server", "error_type", "network_transport"}},
      {"bartizan_sessions", "Sessions of clients that are open.", gauge, {}},
      {"bartizan_connections", "Connections of clients that are open.", gauge, {}},
      {"bartizan_server_up", "1 while the server answers, 0 while it does not.", gauge, {"server"}},
      {"bartizan_server_restarts_total",
       "Times that a server was started again.",
       counter,
       {"server"}},
      {"bartizan_server_messages_dropped_total",
       "Messages of a server that answered nothing or were no messages.",
       counter,
       {"server", "reason"}},
      {"bartizan_server_queue_calls",
       "Calls that wait for a server at its max_in_flight.",
       gauge,
       {"server"}},
      {"bartizan_server_in_flight_calls",
       "Calls sent to a server and not answered yet.",
       gauge,
       {"server"}},
      {"bartizan_http_refusals_total",
       "Requests refused before a call was known.",
       counter,
       {"reason"}},
      {"bartizan_audit_records_total", "Records written.", counter, {}},
      {"bartizan_audit_failures_total", "Times that recording failed.", counter, {}},
      {"bartizan_audit_head_sequence", "Number of the last record.", gauge, {}},
      {"bartizan_audit_pending_records", "Records waiting to be written.", gauge, {}},
      {"bartizan_audit_free_bytes", "Bytes left on the record's file system.", gauge, {}},
      {"bartizan_audit_rotations_total", "Record files closed.", counter, {}},
      {"bartizan_audit_removed_files_total",
       "Record files removed because the retention was over.",
       counter,
       {}},
      {"bartizan_memory_reserved_bytes", "Bytes reserved from the memory budget.", gauge, {}},
      {"bartizan_memory_max_bytes", "The memory budget in bytes.", gauge, {}},
      {"bartizan_metric_series_limited_total",
       "Updates counted under the label value other, because the metric had too many series.",
       counter,
       {"metric"}},
      {"bartizan_config_reloads_total",
       "Times that the configuration was read again: applied, refused or unchanged.",
       counter,
       {"result"}},
      {"bartizan_config_last_reload_successful",
       "0 while the last reload was refused and an older configuration runs, 1 otherwise.",
       gauge,
       {}},
      {"bartizan_config_last_reload_timestamp_seconds",
       "When the last reload ended, or the start where there was none, in seconds since 1970.",
       gauge,
       {}},
      {"bartizan_policy_observing",
       "1 while [policy] mode is \"observe\": rules refuse nothing and are only recorded.",
       gauge,
       {}},
      {"bartizan_tools_unusable_total",
       "Tools that came and cannot be used, by what is wrong: a schema when it is compiled, an "
       "entry "
       "that is none or comes twice when a list first has it.",
       counter,
       {"server", "reason"}},
      {"bartizan_tools_quarantined",
       "Tools of the server that are listed to nobody now, as far as its lists are known.",
       gauge,
       {"server"}},
      {"bartizan_results_invalid_total",
       "Results whose structured content does not fit the tool's output schema.",
       counter,
       {"server", "tool", "action"}},
      {"bartizan_build_info", "1, with what is running as labels.", gauge, {"version", "policy"}},
  }};
  return kFamilies;
}

std::span<const double> duration_buckets() {
  static constexpr std::array<double, 14> kBuckets = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1,
                                                      2,    5,    10,   30,  60,  120, 300};
  return kBuckets;
}

}  // namespace bartizan
