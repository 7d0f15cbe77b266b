// The queries of a report.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "audit/record.h"
#include "gateway/index/record_index.h"

namespace bartizan {

/// `statement` returns texts and counts; `?1` and `?2` are the time span.
Result<std::vector<CountedText>> RecordIndex::count_texts(const std::string& statement,
                                                          const TimeSpan& span) {
  auto prepared = database_.prepare(statement);
  if (!prepared.has_value()) return std::unexpected(prepared.error());
  prepared->bind(1, span.since).bind(2, span.until);
  std::vector<CountedText> counted;
  while (true) {
    const Result<bool> more = prepared->step();
    if (!more.has_value()) return std::unexpected(more.error());
    if (!*more) return counted;
    counted.push_back(
        {std::string(prepared->text(0)), static_cast<std::uint64_t>(prepared->number(1))});
  }
}

Result<std::vector<std::string>> RecordIndex::names(IndexedName kind) {
  const std::string limit = " ORDER BY 1 LIMIT " + std::to_string(limits::indexed_names_max);
  const auto of = [&limit](const std::string& column) {
    return "SELECT value FROM text WHERE id IN (SELECT DISTINCT " + column + " FROM record WHERE " +
           column + " <> 0)" + limit;
  };
  std::string statement;
  switch (kind) {
    case IndexedName::principal:
      statement = of("principal");
      break;
    case IndexedName::rule:
      statement = of("rule");
      break;
    case IndexedName::tool:
      statement =
          "SELECT s.value || '/' || t.value FROM (SELECT DISTINCT server, target FROM record "
          "WHERE target <> 0 AND server <> 0) JOIN text AS s ON s.id = server JOIN text AS t ON "
          "t.id = target" +
          limit;
      break;
  }
  auto prepared = database_.prepare(statement);
  if (!prepared.has_value()) return std::unexpected(prepared.error());
  std::vector<std::string> names;
  while (true) {
    const Result<bool> more = prepared->step();
    if (!more.has_value()) return std::unexpected(more.error());
    if (!*more) return names;
    names.emplace_back(prepared->text(0));
  }
}

Result<RecordReport> RecordIndex::report(const TimeSpan& span) {
  RecordReport report{.span = span};
  const std::string in_span = " time >= ?1 AND time < ?2";
  const std::string denied = " verdict >= " + std::to_string(kDenied) + " AND" + in_span;
  const std::string decisions =
      " kind = " + std::to_string(static_cast<int>(RecordKind::decision)) + " AND" + in_span;
  // A summary represents many refusals.
  const std::string requests = "sum(max(count, 1))";
  const auto by = [&requests](const std::string& column, const std::string& condition) {
    return "SELECT value, " + requests + " AS n FROM record JOIN text ON text.id = " + column +
           " WHERE " + column + " <> 0 AND" + condition + " GROUP BY " + column +
           " ORDER BY n DESC, value LIMIT 20";
  };
  const std::string tool =
      "(SELECT value FROM text WHERE id = server) || '/' || (SELECT value FROM text WHERE id = "
      "target)";
  const std::string permitted = " verdict = " + std::to_string(kPermitted) + " AND" + decisions;
  std::vector<CountedText> totals;
  std::vector<CountedText> refusals;
  const std::pair<std::vector<CountedText>*, std::string> lists[] = {
      {&totals, "SELECT verdict, count(*) FROM record WHERE" + in_span + " GROUP BY verdict"},
      {&refusals, "SELECT '', " + requests +
                      " FROM record WHERE verdict = " + std::to_string(kDenied) + " AND" + in_span},
      {&report.reasons, by("reason", denied)},
      {&report.rules, by("rule", denied)},
      {&report.refused, by("principal", denied)},
      {&report.callers, by("principal", permitted)},
      {&report.tools, "SELECT " + tool + ", count(*) AS n FROM record WHERE target <> 0 AND" +
                          permitted + " GROUP BY server, target ORDER BY n DESC LIMIT 20"},
      {&report.secrets,
       "SELECT value, sum(finding.count) AS n FROM finding JOIN record USING (seq) JOIN text ON "
       "text.id = what WHERE" +
           in_span + " GROUP BY what ORDER BY n DESC, value LIMIT 20"},
      {&report.operators, "SELECT kind, count(*) AS n FROM record WHERE kind IN (" +
                              std::to_string(static_cast<int>(RecordKind::release)) + "," +
                              std::to_string(static_cast<int>(RecordKind::revocation)) + "," +
                              std::to_string(static_cast<int>(RecordKind::lift)) + "," +
                              std::to_string(static_cast<int>(RecordKind::approval)) + "," +
                              std::to_string(static_cast<int>(RecordKind::registration)) + "," +
                              std::to_string(static_cast<int>(RecordKind::reload)) + "," +
                              std::to_string(static_cast<int>(RecordKind::sign_in)) + ") AND" +
                              in_span + " GROUP BY kind ORDER BY n DESC"},
      {&report.days, "SELECT date(time / 1000000, 'unixepoch') AS day, " + requests +
                         " FROM record WHERE" + denied +
                         " GROUP BY day ORDER BY day DESC LIMIT 31"},
  };
  for (const auto& [list, statement] : lists) {
    auto counted = count_texts(statement, span);
    if (!counted.has_value()) return std::unexpected(counted.error());
    *list = *std::move(counted);
  }
  for (const CountedText& total : totals) {
    report.records += total.count;
    if (total.text == std::to_string(kPermitted)) report.permitted = total.count;
    if (total.text == std::to_string(kWithheld)) report.withheld = total.count;
  }
  for (const CountedText& all : refusals)
    report.denied += all.count;
  std::ranges::reverse(report.days);
  for (CountedText& one : report.operators)
    one.text = text(static_cast<RecordKind>(std::strtol(one.text.c_str(), nullptr, 10)));
  const Result<void> timed = time_tools(report);
  if (!timed.has_value()) return std::unexpected(timed.error());
  return report;
}

/// The tools with the longest mean duration.
Result<void> RecordIndex::time_tools(RecordReport& report) {
  const std::string outcomes = "kind = " + std::to_string(static_cast<int>(RecordKind::outcome)) +
                               " AND duration > 0 AND outcome <> " +
                               std::to_string(static_cast<int>(Outcome::denied)) +
                               " AND time >= ?1 AND time < ?2";
  auto slow = database_.prepare(
      "SELECT s.value || '/' || t.value, server, target, count(*), avg(duration) AS mean, "
      "max(duration) FROM record JOIN text AS s ON s.id = server JOIN text AS t ON t.id = target "
      "WHERE target <> 0 AND " +
      outcomes + " GROUP BY server, target ORDER BY mean DESC LIMIT 20");
  if (!slow.has_value()) return std::unexpected(slow.error());
  auto ranked =
      database_.prepare("SELECT duration FROM record WHERE target = ?3 AND server = ?4 AND " +
                        outcomes + " ORDER BY duration LIMIT 1 OFFSET ?5");
  if (!ranked.has_value()) return std::unexpected(ranked.error());
  slow->bind(1, report.span.since).bind(2, report.span.until);
  while (true) {
    const Result<bool> more = slow->step();
    if (!more.has_value()) return std::unexpected(more.error());
    if (!*more) return {};
    const std::int64_t calls = slow->number(3);
    ranked->reset();
    const Result<bool> found = ranked->bind(1, report.span.since)
                                   .bind(2, report.span.until)
                                   .bind(3, slow->number(2))
                                   .bind(4, slow->number(1))
                                   .bind(5, calls * 95 / 100)
                                   .step();
    if (!found.has_value()) return std::unexpected(found.error());
    report.slowest.push_back({.tool = std::string(slow->text(0)),
                              .calls = static_cast<std::uint64_t>(calls),
                              .mean = static_cast<std::uint64_t>(slow->number(4)),
                              .p95 = static_cast<std::uint64_t>(ranked->number(0)),
                              .most = static_cast<std::uint64_t>(slow->number(5))});
  }
}

}  // namespace bartizan
