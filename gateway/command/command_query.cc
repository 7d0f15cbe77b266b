#include "gateway/command/command_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "audit/chain.h"
#include "audit/decode_record.h"
#include "audit/encode_record.h"
#include "audit/verify.h"
#include "config/load/load_config.h"
#include "config/problems.h"
#include "gateway/catalogue/naming.h"
#include "gateway/command/read_moment.h"
#include "gateway/index/format_report.h"
#include "gateway/index/record_index.h"
#include "gateway/process/read_file.h"
#include "gateway/runtime/random.h"
#include "policy/verdict/find_reason.h"

namespace bartizan {
namespace {

std::optional<TimeSpan> read_span(const IndexedRecord& place, const CommandOutput& output) {
  TimeSpan span;
  const std::pair<const std::string*, std::int64_t*> ends[] = {{&place.since, &span.since},
                                                               {&place.until, &span.until}};
  for (const auto& [text, end] : ends) {
    if (text->empty()) continue;
    const auto moment = read_moment(*text, command_time());
    if (!moment) {
      refuse_audit(output, fmt::format("{} is not a time: write {}", *text, kMomentHint));
      return std::nullopt;
    }
    *end = *moment;
  }
  return span;
}

/// The index with the whole record. Reports a failure and returns null. `problems` are the places
/// where records are missing or changed.
std::unique_ptr<RecordIndex> open_index(const IndexedRecord& place, std::string& record,
                                        std::vector<std::string>& problems,
                                        const CommandOutput& output) {
  const auto files = record_files(place.record, output);
  if (!files) return nullptr;
  if (files->size() != 1) {
    refuse_audit(output, kOneRecord);
    return nullptr;
  }
  record = files->front();
  auto index = RecordIndex::open(record, place.index);
  if (!index.has_value()) {
    const bool is_index = index.error().detail.contains(record + ".index");
    refuse_audit(
        output, index.error().detail + (is_index ? "; --index FILE puts the index elsewhere" : ""));
    return nullptr;
  }
  const auto refreshed = (*index)->refresh(place.progress);
  if (!refreshed.has_value()) {
    refuse_audit(output, refreshed.error().detail);
    return nullptr;
  }
  for (const std::string& problem : refreshed->problems)
    output.problems << "bartizan audit: " << problem
                    << "; records may be missing here: run bartizan audit verify\n";
  problems = refreshed->problems;
  return *std::move(index);
}

// --- CSV ----------------------------------------------------------------------------------------

/// Source: RFC 4180 §2. A cell that a spreadsheet would read as a formula gets a `'` (CWE-1236).
std::string csv_cell(std::string_view value) {
  constexpr std::string_view kFormula = "=+-@\t\r";
  std::string cell = "\"";
  if (!value.empty() && kFormula.contains(value.front())) cell += '\'';
  for (const char letter : value) {
    if (letter == '"') cell += '"';
    cell += letter;
  }
  return cell + '"';
}

constexpr std::string_view kCsvHead =
    "seq,time,kind,decision,reason,principal,server,target,rule,outcome,duration_us,decision_id,"
    "source,detail\n";

std::string csv_line(std::uint64_t sequence, const Record& record) {
  const auto time = time_text(record.time);
  const std::array<std::string, 14> cells{
      std::to_string(sequence),
      std::string(time.data(), time.size()),
      std::string(text(record.kind)),
      std::string(record.decision),
      std::string(record.reason),
      std::string(record.principal),
      std::string(record.server),
      std::string(record.target),
      std::string(record.rule),
      record.outcome == Outcome::none ? std::string() : std::string(text(record.outcome)),
      record.duration_us == 0 ? std::string() : std::to_string(record.duration_us),
      std::string(record.decision_id),
      std::string(record.source),
      std::string(record.detail)};
  std::string line;
  for (const std::string& cell : cells) {
    if (!line.empty()) line += ',';
    line += csv_cell(cell);
  }
  return line + '\n';
}

void write_line(std::string_view line, const AuditQueryOptions& options,
                const CommandOutput& output) {
  if (output.format == OutputFormat::json) {
    output.results << line << '\n';
    return;
  }
  if (!options.csv) {
    output.results << format_record(line, RecordLayout::line) << '\n';
    return;
  }
  const auto parts = split_chain_line(line);
  RecordReader reader;
  const auto record = parts ? reader.read(parts->body) : fail(ErrorCode::not_found, Fault::client);
  if (record.has_value()) output.results << csv_line(parts->sequence, **record);
}

std::optional<RecordQuery> query_of(const AuditQueryOptions& options, const CommandOutput& output) {
  const auto span = read_span(options.place, output);
  if (!span) return std::nullopt;
  RecordQuery query{.span = *span,
                    .principal = options.principal,
                    .rule = options.rule,
                    .reason = options.reason,
                    .decision = options.decision,
                    .kind = options.kind,
                    .redacted = options.redacted,
                    .words = options.words,
                    .limit = options.limit};
  const std::size_t slash = options.tool.find('/');
  // A URI has a scheme before its slashes.
  const bool has_server = slash != std::string::npos && !options.tool.contains("://");
  query.target = has_server ? options.tool.substr(slash + 1) : options.tool;
  if (has_server) query.server = options.tool.substr(0, slash);
  if (!query.kind.empty() && !is_record_kind(query.kind)) {
    refuse_audit(output, query.kind + " is not a kind of record; docs/record-format.md lists them");
    return std::nullopt;
  }
  if (!query.reason.empty() && !find_reason(query.reason)) {
    refuse_audit(
        output,
        query.reason +
            " is not a reason of a refusal; bartizan audit report lists those of the record");
    return std::nullopt;
  }
  return query;
}

/// Converts a client's tool name, `files_read_file`, to the one in the record. False if no tool
/// matches.
bool resolve_tool(const std::vector<std::string>& tools, const std::string& asked,
                  RecordQuery& query) {
  for (const std::string& tool : tools) {
    const std::size_t slash = tool.find('/');
    if (slash == std::string::npos || slash == 0) continue;
    const std::string server = tool.substr(0, slash);
    const std::string target = tool.substr(slash + 1);
    if (exposed_name({.name = server}, target) != asked) continue;
    query.server = server;
    query.target = target;
    return true;
  }
  return false;
}

/// Why nothing matches, if a filter has a value that no record has: a sentence.
std::string why_nothing_fits(RecordIndex& index, const AuditQueryOptions& options,
                             const RecordQuery& query) {
  constexpr std::size_t kShown = 8;
  const auto tool = query.server.empty() ? query.target : query.server + '/' + query.target;
  const std::tuple<std::string_view, std::string, std::string, IndexedName> filters[] = {
      {"principal", options.principal, query.principal, IndexedName::principal},
      {"tool", options.tool, tool, IndexedName::tool},
      {"rule", options.rule, query.rule, IndexedName::rule}};
  for (const auto& [what, asked, wanted, kind] : filters) {
    const auto names = wanted.empty() ? std::vector<std::string>()
                                      : index.names(kind).value_or(std::vector<std::string>());
    if (wanted.empty() || std::ranges::find(names, wanted) != names.end()) continue;
    std::vector<std::string_view> spellings;
    std::vector<std::string_view> shown;
    bool is_there = false;
    for (const std::string_view name : names) {
      const std::string_view target = name.substr(name.find('/') + 1);
      is_there = is_there || (kind == IndexedName::tool && target == wanted);
      if (shown.size() < kShown) shown.push_back(name);
      spellings.push_back(name);
      if (kind == IndexedName::tool) spellings.push_back(target);
    }
    if (is_there) continue;
    std::string hint = hint_near(asked, spellings);
    if (hint.empty() && !shown.empty()) hint = "the record has " + listed(shown);
    return fmt::format("no record has the {} {}{}{}", what, quote(asked), hint.empty() ? "" : "; ",
                       hint);
  }
  return "no record matches";
}

int answer(const AuditQueryOptions& options, RecordQuery query, const CommandOutput& output) {
  std::string record;
  std::vector<std::string> problems;
  const auto index = open_index(options.place, record, problems, output);
  if (index == nullptr) return kExitFailed;
  std::size_t found = 0;
  if (options.csv) output.results << kCsvHead;
  const auto visit = [&](std::string_view line) {
    ++found;
    write_line(line, options, output);
  };
  Result<void> asked = index->find(query, visit);
  const bool may_be_exposed = found == 0 && !query.target.empty() && query.server.empty();
  if (asked.has_value() && may_be_exposed &&
      resolve_tool(index->names(IndexedName::tool).value_or(std::vector<std::string>()),
                   options.tool, query)) {
    asked = index->find(query, visit);
  }
  if (!asked.has_value()) return refuse_audit(output, asked.error().detail);
  if (found == query.limit) {
    output.problems << fmt::format(
        "bartizan audit: the last {} records; --limit or --since shows others\n", found);
  }
  if (found == 0) refuse_audit(output, why_nothing_fits(*index, options, query));
  return finish(output, problems.empty() ? kExitDone : kExitFailed);
}

/// JSON without blanks between its tokens.
std::string without_blanks(std::string_view json) {
  std::string out;
  bool is_inside = false;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char letter = json[at];
    if (is_inside && letter == '\\' && at + 1 < json.size()) {
      out += letter;
      out += json[++at];
      continue;
    }
    if (letter == '"') is_inside = !is_inside;
    const bool is_blank = letter == ' ' || letter == '\n' || letter == '\r' || letter == '\t';
    if (is_inside || !is_blank) out += letter;
  }
  return out;
}

}  // namespace

int query_record(const AuditQueryOptions& options, const CommandOutput& output) {
  const auto query = query_of(options, output);
  if (!query) return kExitUsage;
  return for_each_record(options.place.record, output, [&](const RecordPlace& place) {
    AuditQueryOptions one = options;
    one.place.record = place;
    return answer(one, *query, output);
  });
}

int find_arguments(const AuditQueryOptions& options, const CommandOutput& output) {
  if (options.place.record.config_file.empty()) {
    return refuse_audit(output, "name the configuration that has the digest key: --config FILE",
                        kExitUsage);
  }
  const LoadedConfig loaded = load_config(options.place.record.config_file);
  const SecretReference& reference = loaded.config.audit.digest_key;
  if (reference.kind == SecretReference::Kind::none) {
    return refuse_audit(
        output,
        "[audit] has no digest_key, so each process made its own key, which is not kept: "
        "write digest_key = \"file:PATH\", a file of random bytes, mode 0600, and "
        "restart; calls from then on can be found");
  }
  const Result<SecretText> key = read_secret(reference);
  if (!key.has_value()) return refuse_audit(output, key.error().detail);
  auto read = read_file(options.arguments_file);
  if (!read.has_value()) return refuse_audit(output, read.error().detail);
  std::string json = *std::move(read);
  while (json.ends_with('\n') || json.ends_with('\r') || json.ends_with(' '))
    json.pop_back();
  auto query = query_of(options, output);
  if (!query) return kExitUsage;
  // Clients write JSON with or without blanks, and the digest depends on them.
  const KeyedDigest digest(key->view());
  for (const std::string& spelling : {json, without_blanks(json)})
    query->arguments.push_back(KeyedDigest::hex(digest.digest(spelling)));
  return answer(options, *std::move(query), output);
}

namespace {

int report_one(const AuditReportOptions& options, const CommandOutput& output) {
  const auto span = read_span(options.place, output);
  if (!span) return kExitUsage;
  std::string record;
  std::vector<std::string> problems;
  const auto index = open_index(options.place, record, problems, output);
  if (index == nullptr) return kExitFailed;
  auto report = index->report(*span);
  if (!report.has_value()) return refuse_audit(output, report.error().detail);
  report->problems = std::move(problems);
  if (output.format == OutputFormat::json) {
    output.results << format_report_json(*report, record) << '\n';
  } else if (options.format == "html") {
    output.results << format_report_html(*report, record);
  } else if (options.format == "markdown") {
    output.results << format_report_markdown(*report, record);
  } else {
    output.results << format_report_text(*report, record);
  }
  return finish(output, report->problems.empty() ? kExitDone : kExitFailed);
}

}  // namespace

int report_record(const AuditReportOptions& options, const CommandOutput& output) {
  return for_each_record(options.place.record, output, [&](const RecordPlace& place) {
    AuditReportOptions one = options;
    one.place.record = place;
    return report_one(one, output);
  });
}

}  // namespace bartizan
