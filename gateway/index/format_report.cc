#include "gateway/index/format_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "audit/verify.h"
#include "config/parse_units.h"
#include "gateway/http/shown_text.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// A list of a report with its heading.
struct Section {
  std::string_view key;  ///< In JSON.
  std::string_view heading;
  std::string_view column;
  const std::vector<CountedText>& entries;
};

std::vector<Section> sections_of(const RecordReport& report) {
  return {{"refusals_by_reason", "Refusals by reason", "reason", report.reasons},
          {"refusals_by_rule", "Rules that refused", "rule", report.rules},
          {"refusals_by_principal", "Who was refused", "principal", report.refused},
          {"calls_by_principal", "Who called", "principal", report.callers},
          {"calls_by_tool", "What was called", "server/tool", report.tools},
          {"secrets", "Secrets and other findings", "detector, action", report.secrets},
          {"operators", "What operators did", "kind", report.operators},
          {"refusals_by_day", "Refusals by day (UTC)", "day", report.days}};
}

std::string time_of(std::int64_t micros, std::string_view open) {
  const TimeSpan all;
  if (micros == all.since || micros == all.until) return std::string(open);
  constexpr std::int64_t kSecond = 1'000'000;
  return format_time(micros / kSecond);
}

std::string span_text(const RecordReport& report) {
  return time_of(report.span.since, "its beginning") + " to " + time_of(report.span.until, "now");
}

std::string milliseconds(std::uint64_t micros) {
  return fmt::format("{:.1f}", static_cast<double>(micros) / 1000.0);
}

/// The warning above a report of a broken record.
constexpr std::string_view kNotWhole =
    "The record is not whole, so this report may lack records. Run bartizan audit verify.";

std::string totals_text(const RecordReport& report) {
  return fmt::format("{} records: {} requests permitted, {} refusals, {} results withheld",
                     report.records, report.permitted, report.denied, report.withheld);
}

// --- Markdown -----------------------------------------------------------------------------------

/// Escapes a text for a table cell.
std::string markdown(std::string_view text) {
  std::string out;
  for (const char letter : visible(text)) {
    constexpr std::string_view kSigns = R"(\`*_{}[]<>()#+-!|)";
    if (kSigns.contains(letter)) out += '\\';
    out += letter;
  }
  return out;
}

// --- HTML ---------------------------------------------------------------------------------------

std::string html(std::string_view text) {
  return escaped_html(visible(text));
}

constexpr std::string_view kStyle =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;"
    "color:#1b1b1f;background:#fff}h1{font-size:1.4rem}h2{font-size:1.05rem;margin:2rem 0 .5rem}"
    "table{border-collapse:collapse;width:100%}td,th{padding:.25rem .5rem;text-align:left;"
    "border-bottom:1px solid #e3e3e8;overflow-wrap:anywhere}td.n,th.n{text-align:right;"
    "font-variant-numeric:tabular-nums;white-space:nowrap}svg{display:block}rect{fill:#3a5fcd}"
    "@media(prefers-color-scheme:dark){body{color:#e6e6ea;background:#17171b}"
    "td,th{border-color:#33333a}rect{fill:#8aa4ff}}";

/// A bar whose length is the share of the largest.
std::string bar(std::uint64_t count, std::uint64_t most) {
  constexpr std::uint64_t kWidth = 200;
  const std::uint64_t width = most == 0 ? 0 : std::max<std::uint64_t>(1, count * kWidth / most);
  return fmt::format(
      R"(<svg width="{}" height="12" role="img" aria-label="{} of {}"><rect width="{}" height="12"/></svg>)",
      kWidth, count, most, width);
}

void append_html_section(std::string& page, const Section& section) {
  page += fmt::format("<h2>{}</h2>\n", section.heading);
  if (section.entries.empty()) {
    page += "<p>None.</p>\n";
    return;
  }
  const std::uint64_t most =
      std::ranges::max_element(section.entries, {}, &CountedText::count)->count;
  page += fmt::format("<table><tr><th>{}</th><th class=\"n\">count</th><th></th></tr>\n",
                      section.column);
  for (const CountedText& one : section.entries) {
    page += fmt::format("<tr><td>{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n", html(one.text),
                        one.count, bar(one.count, most));
  }
  page += "</table>\n";
}

}  // namespace

std::string format_report_text(const RecordReport& report, const std::string& record) {
  std::string out =
      fmt::format("{}, {}\n{}\n", visible(record), span_text(report), totals_text(report));
  if (!report.problems.empty()) out += fmt::format("\n{}\n", kNotWhole);
  for (const std::string& problem : report.problems)
    out += fmt::format("  {}\n", visible(problem));
  for (const Section& section : sections_of(report)) {
    out += fmt::format("\n{}\n", section.heading);
    if (section.entries.empty()) out += "  none\n";
    for (const CountedText& one : section.entries)
      out += fmt::format("  {:>9}  {}\n", one.count, visible(one.text));
  }
  out += "\nSlowest tools (ms: mean, 95 %, most)\n";
  if (report.slowest.empty()) out += "  none\n";
  for (const ToolTimes& one : report.slowest) {
    out += fmt::format("  {:>9} {:>9} {:>9}  {} ({} calls)\n", milliseconds(one.mean),
                       milliseconds(one.p95), milliseconds(one.most), visible(one.tool), one.calls);
  }
  return out;
}

std::string format_report_markdown(const RecordReport& report, const std::string& record) {
  std::string out = fmt::format("# Report of {}\n\nFrom {}.\n\n{}.\n", markdown(record),
                                span_text(report), totals_text(report));
  if (!report.problems.empty()) out += fmt::format("\n**{}**\n\n", kNotWhole);
  for (const std::string& problem : report.problems)
    out += fmt::format("- {}\n", markdown(problem));
  for (const Section& section : sections_of(report)) {
    out += fmt::format("\n## {}\n\n", section.heading);
    if (section.entries.empty()) {
      out += "None.\n";
      continue;
    }
    out += fmt::format("| {} | count |\n|---|---:|\n", section.column);
    for (const CountedText& one : section.entries)
      out += fmt::format("| {} | {} |\n", markdown(one.text), one.count);
  }
  out += "\n## Slowest tools\n\n";
  if (report.slowest.empty()) return out + "None.\n";
  out += "| server/tool | calls | mean ms | 95 % ms | most ms |\n|---|---:|---:|---:|---:|\n";
  for (const ToolTimes& one : report.slowest) {
    out += fmt::format("| {} | {} | {} | {} | {} |\n", markdown(one.tool), one.calls,
                       milliseconds(one.mean), milliseconds(one.p95), milliseconds(one.most));
  }
  return out;
}

std::string format_report_html(const RecordReport& report, const std::string& record) {
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\"><meta name=\"viewport\" content=\"width=device-width\">"
      "<title>Report of {0}</title><style>{1}</style></head>\n<body><h1>Report of {0}</h1>\n"
      "<p>From {2}.</p>\n<p>{3}.</p>\n",
      html(record), kStyle, span_text(report), totals_text(report));
  if (!report.problems.empty()) page += fmt::format("<p><strong>{}</strong></p>\n", kNotWhole);
  for (const std::string& problem : report.problems)
    page += fmt::format("<p>{}</p>\n", html(problem));
  for (const Section& section : sections_of(report))
    append_html_section(page, section);
  page += "<h2>Slowest tools</h2>\n";
  if (report.slowest.empty()) {
    page += "<p>None.</p>\n";
  } else {
    page +=
        "<table><tr><th>server/tool</th><th class=\"n\">calls</th><th class=\"n\">mean ms</th>"
        "<th class=\"n\">95 % ms</th><th class=\"n\">most ms</th></tr>\n";
    for (const ToolTimes& one : report.slowest) {
      page += fmt::format(
          "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
          "<td class=\"n\">{}</td></tr>\n",
          html(one.tool), one.calls, milliseconds(one.mean), milliseconds(one.p95),
          milliseconds(one.most));
    }
    page += "</table>\n";
  }
  return page + "</body></html>\n";
}

std::string format_report_json(const RecordReport& report, const std::string& record) {
  const TimeSpan all;
  std::string out = R"({"record":)" + json_string(record);
  if (report.span.since != all.since)
    out += R"(,"since":)" + json_string(time_of(report.span.since, ""));
  if (report.span.until != all.until)
    out += R"(,"until":)" + json_string(time_of(report.span.until, ""));
  out += fmt::format(R"(,"records":{},"permitted":{},"denied":{},"withheld":{})", report.records,
                     report.permitted, report.denied, report.withheld);
  out += R"(,"problems":[)";
  for (const std::string& problem : report.problems)
    out += (out.ends_with('[') ? "" : ",") + json_string(problem);
  out += ']';
  for (const Section& section : sections_of(report)) {
    out += fmt::format(R"(,"{}":[)", section.key);
    for (const CountedText& one : section.entries) {
      if (!out.ends_with('[')) out += ',';
      out += fmt::format(R"({{"what":{},"count":{}}})", json_string(one.text), one.count);
    }
    out += ']';
  }
  out += R"(,"slowest_tools":[)";
  for (const ToolTimes& one : report.slowest) {
    if (!out.ends_with('[')) out += ',';
    out += fmt::format(R"({{"tool":{},"calls":{},"mean_us":{},"p95_us":{},"most_us":{}}})",
                       json_string(one.tool), one.calls, one.mean, one.p95, one.most);
  }
  return out + "]}";
}

}  // namespace bartizan
