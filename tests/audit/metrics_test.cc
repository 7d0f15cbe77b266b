#include "audit/metrics.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "schemas/base/limits.h"

namespace bartizan {
namespace {

using Views = std::vector<std::string_view>;

bool has_line(const MetricShard& shard, const std::string& line) {
  return ("\n" + shard.serialise()).find("\n" + line + "\n") != std::string::npos;
}

TEST(MetricFamilies, AreTheOnesThatTheHeaderLists) {
  struct Case {
    Metric metric;
    MetricType type;
    const char* name;
    Views labels;
  };
  using enum MetricType;
  const Case cases[] = {
      {Metric::policy_decisions,
       counter,
       "bartizan_policy_decisions_total",
       {"decision", "reason", "rule", "server", "tool"}},
      {Metric::tool_invocations, counter, "mcp_tool_invocations_total", {"tool_id", "status"}},
      {Metric::tool_duration, histogram, "mcp_tool_execution_duration", {"tool_id", "status"}},
      {Metric::performance_warnings,
       counter,
       "mcp_performance_warnings_total",
       {"tool_id", "warning_type"}},
      {Metric::server_operation,
       histogram,
       "mcp_server_operation_duration_seconds",
       {"mcp_method_name", "server", "gen_ai_tool_name", "error_type", "network_transport",
        "mcp_protocol_version"}},
      {Metric::client_operation,
       histogram,
       "mcp_client_operation_duration_seconds",
       {"mcp_method_name", "server", "error_type", "network_transport"}},
      {Metric::sessions, gauge, "bartizan_sessions", {}},
      {Metric::connections, gauge, "bartizan_connections", {}},
      {Metric::ready, gauge, "bartizan_ready", {}},
      {Metric::server_up, gauge, "bartizan_server_up", {"server"}},
      {Metric::server_restarts, counter, "bartizan_server_restarts_total", {"server"}},
      {Metric::server_dropped,
       counter,
       "bartizan_server_messages_dropped_total",
       {"server", "reason"}},
      {Metric::server_queue, gauge, "bartizan_server_queue_calls", {"server"}},
      {Metric::server_circuit, counter, "bartizan_server_circuit_changes_total", {"server", "to"}},
      {Metric::server_in_flight, gauge, "bartizan_server_in_flight_calls", {"server"}},
      {Metric::http_refusals, counter, "bartizan_http_refusals_total", {"reason"}},
      {Metric::throttled, counter, "bartizan_throttled_requests_total", {}},
      {Metric::records, counter, "bartizan_audit_records_total", {}},
      {Metric::record_failures, counter, "bartizan_audit_failures_total", {}},
      {Metric::record_head, gauge, "bartizan_audit_head_sequence", {}},
      {Metric::record_lag, gauge, "bartizan_audit_pending_records", {}},
      {Metric::record_free, gauge, "bartizan_audit_free_bytes", {}},
      {Metric::record_rotations, counter, "bartizan_audit_rotations_total", {}},
      {Metric::record_removed, counter, "bartizan_audit_removed_files_total", {}},
      {Metric::memory_used, gauge, "bartizan_memory_reserved_bytes", {}},
      {Metric::memory_max, gauge, "bartizan_memory_max_bytes", {}},
      {Metric::series_dropped, counter, "bartizan_metric_series_limited_total", {"metric"}},
      {Metric::reloads, counter, "bartizan_config_reloads_total", {"result"}},
      {Metric::reload_good, gauge, "bartizan_config_last_reload_successful", {}},
      {Metric::reload_time, gauge, "bartizan_config_last_reload_timestamp_seconds", {}},
      {Metric::policy_observing, gauge, "bartizan_policy_observing", {}},
      {Metric::tools_unusable, counter, "bartizan_tools_unusable_total", {"server", "reason"}},
      {Metric::quarantined, gauge, "bartizan_tools_quarantined", {"server"}},
      {Metric::limit_waits, counter, "bartizan_limit_waits_total", {"limit", "result"}},
      {Metric::flow_marks, counter, "bartizan_flow_marks_total", {"label"}},
      {Metric::results_invalid,
       counter,
       "bartizan_results_invalid_total",
       {"server", "tool", "action"}},
      {Metric::redactions, counter, "bartizan_redactions_total", {"detector", "action", "carrier"}},
      {Metric::sanitisings, counter, "bartizan_sanitisings_total", {"what", "action", "carrier"}},
      {Metric::capture_calls, counter, "bartizan_capture_calls_total", {}},
      {Metric::capture_missing, counter, "bartizan_capture_missing_calls_total", {}},
      {Metric::state_mismatches, counter, "bartizan_state_mismatches_total", {}},
      {Metric::state_failures, counter, "bartizan_state_failures_total", {}},
      {Metric::approvals, counter, "bartizan_approvals_total", {"state"}},
      {Metric::approvals_waiting, gauge, "bartizan_approvals_waiting", {}},
      {Metric::approval_events, counter, "bartizan_approval_webhook_events_total", {"result"}},
      {Metric::export_records, counter, "bartizan_export_records_total", {"export", "result"}},
      {Metric::export_failures, counter, "bartizan_export_failures_total", {"export"}},
      {Metric::export_behind, gauge, "bartizan_export_behind_records", {"export"}},
      {Metric::export_alarms, counter, "bartizan_export_alarms_total", {"export", "cause"}},
      {Metric::alerts, counter, "bartizan_alerts_total", {"alert", "result"}},
      {Metric::decide_seconds, histogram, "bartizan_decide_seconds", {"decision"}},
      {Metric::key_expiry, gauge, "bartizan_key_expiry_timestamp_seconds", {"key"}},
      {Metric::certificate_expiry,
       gauge,
       "bartizan_certificate_expiry_timestamp_seconds",
       {"listener"}},
      {Metric::process_cpu, counter, "process_cpu_seconds_total", {}},
      {Metric::process_started, gauge, "process_start_time_seconds", {}},
      {Metric::process_resident, gauge, "process_resident_memory_bytes", {}},
      {Metric::process_virtual, gauge, "process_virtual_memory_bytes", {}},
      {Metric::process_fds, gauge, "process_open_fds", {}},
      {Metric::process_fds_max, gauge, "process_max_fds", {}},
      {Metric::process_threads, gauge, "process_threads", {}},
      {Metric::signed_heads, counter, "bartizan_audit_signed_heads_total", {"result"}},
      {Metric::signed_head, gauge, "bartizan_audit_signed_head_sequence", {}},
      {Metric::signed_head_time, gauge, "bartizan_audit_signed_head_timestamp_seconds", {}},
      {Metric::build, gauge, "bartizan_build_info", {"version", "policy"}},
  };
  EXPECT_EQ(std::size(cases), kMetricCount);
  const std::string text = MetricShard().serialise();
  for (const Case& each : cases) {
    const MetricFamily& family = metric_families()[static_cast<std::size_t>(each.metric)];
    EXPECT_EQ(family.name, each.name);
    EXPECT_EQ(family.type, each.type) << each.name;
    EXPECT_EQ(family.labels, each.labels) << each.name;
    EXPECT_NE(text.find("# HELP " + std::string(each.name) + " " + std::string(family.help) + "\n"),
              std::string::npos)
        << each.name;
    const std::array types = {" counter\n", " gauge\n", " histogram\n"};
    EXPECT_NE(
        text.find("# TYPE " + std::string(each.name) + types[static_cast<std::size_t>(each.type)]),
        std::string::npos)
        << each.name;
  }
}

TEST(MetricShard, CountsEachLabelSetByItself) {
  MetricShard shard;
  shard.add(Metric::tool_invocations, Views{"read", "success"});
  shard.add(Metric::tool_invocations, Views{"read", "success"}, 2);
  shard.add(Metric::tool_invocations, Views{"read", "denied"});
  // The same bytes, cut elsewhere.
  shard.add(Metric::tool_invocations, Views{"reads", "uccess"});
  EXPECT_EQ(shard.series(Metric::tool_invocations), 3U);
  EXPECT_TRUE(has_line(shard, R"(mcp_tool_invocations_total{tool_id="read",status="success"} 3)"));
  EXPECT_TRUE(has_line(shard, R"(mcp_tool_invocations_total{tool_id="read",status="denied"} 1)"));
}

TEST(MetricShard, SetsAndMovesGauges) {
  MetricShard shard;
  // Of what was never measured nothing is said, while a count that never happened is 0.
  EXPECT_EQ(shard.serialise().find("\nbartizan_sessions "), std::string::npos);
  EXPECT_TRUE(has_line(shard, "bartizan_audit_records_total 0"));
  shard.set(Metric::sessions, {}, 5);
  shard.add(Metric::sessions, {}, -2);
  EXPECT_TRUE(has_line(shard, "bartizan_sessions 3"));
  shard.set(Metric::server_up, Views{"files"}, 1);
  shard.set(Metric::server_up, Views{"files"}, 0);
  EXPECT_TRUE(has_line(shard, R"(bartizan_server_up{server="files"} 0)"));
}

TEST(MetricShard, NeverLetsACounterGoDown) {
  MetricShard shard;
  shard.add(Metric::records, {}, 4);
  shard.add(Metric::records, {}, -1);
  shard.add(Metric::records, {}, std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(has_line(shard, "bartizan_audit_records_total 4"));
}

TEST(MetricShard, PutsEachObservationIntoItsBucket) {
  struct Case {
    double seconds;
    const char* first_bucket;
    const char* below;
  };
  const Case cases[] = {
      {0, "0.01", nullptr}, {0.01, "0.01", nullptr}, {0.011, "0.02", "0.01"},
      {1, "1", "0.5"},      {300, "300", "120"},     {301, "+Inf", "300"},
  };
  for (const Case& each : cases) {
    MetricShard shard;
    shard.observe(Metric::tool_duration, Views{"read", "success"}, each.seconds);
    const std::string start =
        R"(mcp_tool_execution_duration_bucket{tool_id="read",status="success",le=")";
    EXPECT_TRUE(has_line(shard, start + each.first_bucket + "\"} 1")) << each.seconds;
    if (each.below != nullptr) {
      EXPECT_TRUE(has_line(shard, start + each.below + "\"} 0")) << each.seconds;
    }
    EXPECT_TRUE(has_line(shard, start + "+Inf\"} 1")) << each.seconds;
    EXPECT_TRUE(
        has_line(shard, R"(mcp_tool_execution_duration_count{tool_id="read",status="success"} 1)"));
  }
}

TEST(MetricShard, IgnoresWhatIsNoDuration) {
  MetricShard shard;
  shard.observe(Metric::tool_duration, Views{"read", "success"}, -1);
  shard.observe(Metric::tool_duration, Views{"read", "success"},
                std::numeric_limits<double>::quiet_NaN());
  shard.observe(Metric::sessions, {}, 1);
  EXPECT_EQ(shard.series(Metric::tool_duration), 0U);
  // Of what was never measured nothing is said, while a count that never happened is 0.
  EXPECT_EQ(shard.serialise().find("\nbartizan_sessions "), std::string::npos);
  EXPECT_TRUE(has_line(shard, "bartizan_audit_records_total 0"));
}

TEST(MetricShard, EscapesLabelValues) {
  MetricShard shard;
  shard.add(Metric::http_refusals, Views{"a\"b\\c\nd"});
  EXPECT_TRUE(has_line(shard, R"(bartizan_http_refusals_total{reason="a\"b\\c\nd"} 1)"));
}

TEST(MetricShard, ReplacesLabelsThatPrometheusWouldRefuse) {
  MetricShard shard;
  shard.add(Metric::tool_invocations, Views{"bad\xFF", "success"});
  shard.add(Metric::tool_invocations, Views{std::string(10'000, 'x'), "success"});
  EXPECT_TRUE(has_line(shard, R"(mcp_tool_invocations_total{tool_id="other",status="success"} 2)"));
  EXPECT_EQ(shard.series(Metric::tool_invocations), 1U);
}

TEST(MetricShard, TakesTooFewOrTooManyLabels) {
  MetricShard shard;
  shard.add(Metric::tool_invocations, Views{"read"});
  shard.add(Metric::tool_invocations, Views{"read", "", "more"});
  EXPECT_EQ(shard.series(Metric::tool_invocations), 1U);
}

// The sum of all samples of one metric, and how many there are.
std::pair<double, std::size_t> samples(const std::string& text, const std::string& name) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t at = text.find("\n" + name + "{"); at != std::string::npos;
       at = text.find("\n" + name + "{", at + 1)) {
    const std::size_t end = text.find('\n', at + 1);
    sum += std::stod(text.substr(text.rfind(' ', end), end));
    count += 1;
  }
  return {sum, count};
}

TEST(MetricShard, StaysBoundedUnderAHundredThousandNames) {
  MetricShard shard;
  for (int i = 0; i < 100'000; ++i) {
    const std::string tool = "tool_" + std::to_string(i);
    const char* decision = i % 2 == 0 ? "permit" : "deny";
    shard.add(Metric::policy_decisions, Views{decision, "why", "rule", "files", tool});
    shard.observe(Metric::tool_duration, Views{tool, "success"}, 1);
  }
  EXPECT_LE(shard.series(Metric::policy_decisions), limits::metric_series_max);
  EXPECT_LE(shard.series(Metric::tool_duration), limits::metric_series_max);
  const std::string text = shard.serialise();
  const auto [sum, count] = samples(text, "bartizan_policy_decisions_total");
  EXPECT_EQ(sum, 100'000);
  EXPECT_EQ(count, shard.series(Metric::policy_decisions));
  // The verdict stays visible; only the name is lost.
  EXPECT_TRUE(has_line(shard,
                       "bartizan_policy_decisions_total{decision=\"deny\",reason=\"why\",rule="
                       "\"rule\",server=\"files\",tool=\"other\"} 49125"));
  EXPECT_TRUE(has_line(shard,
                       "bartizan_metric_series_limited_total{metric=\""
                       "bartizan_policy_decisions_total\"} 98250"));
}

TEST(MetricShard, StaysBoundedWhereNoLabelIsOpen) {
  MetricShard shard;
  for (int i = 0; i < 100'000; ++i) {
    shard.add(Metric::http_refusals, Views{"reason " + std::to_string(i)});
  }
  EXPECT_LE(shard.series(Metric::http_refusals), limits::metric_series_max);
  EXPECT_EQ(samples(shard.serialise(), "bartizan_http_refusals_total").first, 100'000);
  EXPECT_EQ(samples(shard.serialise(), "bartizan_http_refusals_total{reason=\"other\"}").second,
            0U);
}

TEST(MetricShard, MergesByAdding) {
  MetricShard a;
  MetricShard b;
  for (MetricShard* shard : {&a, &b}) {
    shard->add(Metric::tool_invocations, Views{"read", "success"}, 2);
    shard->observe(Metric::tool_duration, Views{"read", "success"}, 0.5);
    shard->set(Metric::sessions, {}, 3);
  }
  b.add(Metric::tool_invocations, Views{"write", "denied"});
  MetricShard sum(a);
  sum.merge(b);
  EXPECT_TRUE(has_line(sum, R"(mcp_tool_invocations_total{tool_id="read",status="success"} 4)"));
  EXPECT_TRUE(has_line(sum, R"(mcp_tool_invocations_total{tool_id="write",status="denied"} 1)"));
  EXPECT_TRUE(
      has_line(sum, R"(mcp_tool_execution_duration_sum{tool_id="read",status="success"} 1)"));
  EXPECT_TRUE(has_line(
      sum, R"(mcp_tool_execution_duration_bucket{tool_id="read",status="success",le="0.5"} 2)"));
  EXPECT_TRUE(has_line(sum, "bartizan_sessions 6"));
  // The copy was one: what it was made from did not change.
  EXPECT_TRUE(has_line(a, "bartizan_sessions 3"));
}

TEST(MetricShard, TheBoundHoldsForTheSum) {
  MetricShard sum;
  for (int worker = 0; worker < 3; ++worker) {
    MetricShard shard;
    for (int i = 0; i < 1500; ++i) {
      const std::string tool = "tool_" + std::to_string(worker) + "_" + std::to_string(i);
      shard.add(Metric::tool_invocations, Views{tool, "success"});
    }
    sum.merge(shard);
  }
  EXPECT_LE(sum.series(Metric::tool_invocations), limits::metric_series_max);
  EXPECT_EQ(samples(sum.serialise(), "mcp_tool_invocations_total").first, 4500);
}

}  // namespace
}  // namespace bartizan
