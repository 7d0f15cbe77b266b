#include "gateway/command_audit.h"

#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "audit/chain_files.h"
#include "audit/verify.h"
#include "config/load_config.h"

namespace bartizan {
namespace {

int refuse(const CommandOutput& output, std::string_view why) {
  output.problems << "bartizan audit: " << why << '\n';
  return kExitFailed;
}

std::string joined(const std::vector<std::string>& files) {
  return fmt::format("{}", fmt::join(files, " "));
}

void write_text(const AuditVerifyOptions& options, const std::vector<std::string>& files,
                const AuditVerdict& verdict, const CommandOutput& output) {
  // A file that cannot be read is nobody's tampering.
  const bool was_read = verdict.intact || verdict.records > 0 ||
                        verdict.first_problem.find("cannot be opened") == std::string::npos;
  if (!was_read) {
    output.problems << verdict.first_problem << '\n';
    return;
  }
  const std::string_view state = verdict.intact ? "chain ok" : "chain BROKEN";
  output.results << fmt::format("{}: {} records, {}, head {}\n", joined(options.files),
                                verdict.records, state, verdict.head.text());
  if (files.size() > options.files.size()) {
    output.results << fmt::format("read with it: {} closed file{} of its chain, from {}\n",
                                  files.size() - 1, files.size() == 2 ? "" : "s", files.front());
  }
  for (const std::string& note : verdict.notes)
    output.results << "not missing: " << note << '\n';
  for (const std::string& gap : verdict.not_covered)
    output.results << "not covered: " << gap << '\n';
  if (!verdict.intact) output.problems << verdict.first_problem << '\n';
}

void write_json(const std::vector<std::string>& files, const AuditVerdict& verdict,
                const CommandOutput& output) {
  JsonObject json;
  json.add("intact", verdict.intact ? Answer::yes : Answer::no);
  json.add("records", verdict.records);
  json.add("head", verdict.head.text());
  json.add("first_problem", verdict.first_problem);
  json.add("not_covered", verdict.not_covered);
  json.add("notes", verdict.notes);
  json.add("files", files);
  output.results << json.text() << '\n';
}

/// Nothing, with the reason said, where the configuration names no file.
std::optional<std::vector<std::string>> record_files(const AuditShowOptions& options,
                                                     const CommandOutput& output) {
  if (!options.files.empty()) return options.files;
  if (options.config_file.empty()) return std::vector<std::string>{kDefaultRecordFile};
  const LoadedConfig loaded = load_config(options.config_file);
  if (!loaded.config.audit.file.empty()) return std::vector{loaded.config.audit.file};
  for (const ConfigProblem& problem : loaded.problems)
    output.problems << text(problem) << '\n';
  return std::nullopt;
}

}  // namespace

int verify_record(const AuditVerifyOptions& options, const CommandOutput& output) {
  std::optional<AuditHead> head;
  if (!options.head.empty()) {
    head = parse_audit_head(options.head);
    if (!head) return refuse(output, "--head takes SEQUENCE:HASH, as the gateway's log prints it");
  }
  // One file stands for its chain: whoever has several says so.
  const std::vector<std::string> files =
      options.files.size() == 1 ? chain_paths(options.files.front()) : options.files;
  const AuditVerdict verdict = verify_audit(files, head, options.progress);
  switch (output.format) {
    case OutputFormat::text:
      write_text(options, files, verdict, output);
      break;
    case OutputFormat::json:
      write_json(files, verdict, output);
      break;
  }
  return finish(output, verdict.intact ? kExitDone : kExitFailed);
}

int show_record(const AuditShowOptions& options, const CommandOutput& output) {
  const std::optional<std::vector<std::string>> named = record_files(options, output);
  if (!named) return refuse(output, "the configuration names no record file");
  const std::vector<std::string> files = named->size() == 1 ? chain_paths(named->front()) : *named;
  std::size_t shown = 0;
  const std::size_t found = find_records(files, options.id, [&](std::string_view line) {
    if (shown != 0) output.results << '\n';
    output.results << format_record(line, RecordLayout::fields);
    ++shown;
  });
  if (found == 0) {
    return refuse(output,
                  fmt::format("no record, or more than one decision, has the id {:.36} in {}",
                              options.id, joined(*named)));
  }
  return finish(output, kExitDone);
}

}  // namespace bartizan
