#include "gateway/command/command_audit.h"

#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "audit/chain.h"
#include "audit/chain_files.h"
#include "audit/decode_record.h"
#include "audit/follow_chain.h"
#include "audit/verify.h"
#include "config/load/load_config.h"
#include "config/parse_units.h"
#include "gateway/command/explain_record.h"
#include "gateway/command/wrap_records.h"
#include "policy/verdict/find_reason.h"

namespace bartizan {
namespace {

std::string joined(const std::vector<std::string>& files) {
  return fmt::format("{}", fmt::join(files, " "));
}

/// The record's id for rosters and exports; empty if it cannot be read.
std::string chain_of(const std::vector<std::string>& files) {
  return files.empty() ? "" : find_chain_name(files.back()).value_or("");
}

void write_text(const std::vector<std::string>& named, const std::vector<std::string>& files,
                const AuditVerdict& verdict, const CommandOutput& output) {
  // A file that cannot be read is not evidence of tampering.
  const bool was_read = verdict.intact || verdict.records > 0 ||
                        verdict.first_problem.find("cannot be opened") == std::string::npos;
  if (!was_read) {
    output.problems << verdict.first_problem << '\n';
    return;
  }
  const std::string_view state = verdict.intact        ? "chain ok"
                                 : verdict.begins_late ? "chain ok, but its beginning is missing"
                                                       : "chain BROKEN";
  output.results << fmt::format("{}: {}, {}, head {}\n", joined(named),
                                format_count(verdict.records, "record"), state,
                                verdict.head.text());
  if (files.size() > named.size()) {
    output.results << fmt::format("also read: {} of its chain, from {}\n",
                                  format_count(files.size() - 1, "closed file"), files.front());
  }
  if (const std::string chain = chain_of(files); !chain.empty())
    output.results << "chain " << chain << '\n';
  for (const std::string& note : verdict.notes)
    output.results << "not missing: " << note << '\n';
  for (const std::string& gap : verdict.not_covered)
    output.results << "not verified: " << gap << '\n';
  if (!verdict.intact) output.problems << verdict.first_problem << '\n';
}

/// `complete to head N, signed at T`.
std::string signed_text(const HeadVerdict& heads) {
  return fmt::format("complete to head {}, signed at {}", heads.newest.head.sequence,
                     format_time(heads.newest.signed_at));
}

void write_json(const std::vector<std::string>& files, const AuditVerdict& verdict,
                const std::optional<HeadVerdict>& heads, const CommandOutput& output) {
  JsonObject json;
  json.add_flag("intact", verdict.intact);
  json.add("records", verdict.records);
  json.add("head", verdict.head.text());
  json.add("first_problem", verdict.first_problem);
  json.add("not_covered", verdict.not_covered);
  json.add("notes", verdict.notes);
  json.add("files", files);
  json.add("chain", chain_of(files));
  if (heads.has_value() && verdict.intact) {
    json.add("signed_head", heads->newest.head.text());
    json.add("signed_at", format_time(heads->newest.signed_at));
    json.add("signed_heads", std::uint64_t{heads->heads});
  }
  output.results << json.text() << '\n';
}

std::optional<AuditHead> read_head(const std::string& text, std::string_view option,
                                   const CommandOutput& output) {
  const auto head = parse_audit_head(text);
  if (!head) {
    refuse_audit(output,
                 fmt::format("{} requires SEQUENCE:HASH, as the gateway's log prints it", option));
  }
  return head;
}

/// The first file that does not exist, or empty.
std::string find_missing(const std::vector<std::string>& files) {
  std::error_code ignored;
  for (const std::string& file : files) {
    if (!std::filesystem::exists(file, ignored)) return file;
  }
  return {};
}

std::string with_meaning(std::string_view line, const Config* config) {
  std::string shown = format_record(line, RecordLayout::fields);
  const auto parts = split_chain_line(line);
  RecordReader reader;
  const auto record = parts ? reader.read(parts->body) : fail(ErrorCode::not_found, Fault::client);
  if (!record.has_value()) return shown;
  // The outcome of a denied call repeats its reason. That of a withheld result or of a resource has
  // new information.
  const bool tells_first = is_withheld(**record) ||
                           is_about_result(find_reason((*record)->reason).value_or(Reason::none));
  if ((*record)->kind == RecordKind::outcome && !tells_first) return shown;
  const std::string meaning = meaning_of(**record, config);
  return meaning.empty() ? shown : shown + "meaning         " + visible(meaning) + "\n";
}

/// The configuration with the roots. Nothing if none is named, or if it does not load, which is
/// reported.
std::optional<Config> read_policy(const std::string& config_file, const CommandOutput& output) {
  if (config_file.empty()) return std::nullopt;
  LoadedConfig loaded = load_config(config_file);
  if (loaded.usable()) return std::move(loaded.config);
  for (const ConfigProblem& problem : loaded.problems)
    output.problems << text(problem) << '\n';
  return std::nullopt;
}

}  // namespace

int refuse_audit(const CommandOutput& output, std::string_view why, int exit_code) {
  output.problems << "bartizan audit: " << why << '\n';
  return exit_code;
}

int refuse_ambiguous(const std::string& id, const FoundRecords& found,
                     const CommandOutput& output) {
  refuse_audit(output, fmt::format("several decision ids begin with {:.36}; give one:", id));
  for (const std::string& line : found.candidates)
    output.problems << "  " << format_record(line, RecordLayout::line) << '\n';
  if (found.has_more) output.problems << "  and more: give more of the id\n";
  return kExitFailed;
}

std::optional<std::vector<std::string>> record_files(const RecordPlace& place,
                                                     const CommandOutput& output) {
  if (!place.files.empty()) return place.files;
  if (place.config_file.empty()) {
    const std::vector<std::string> wrapped = unnamed_records(place);
    if (wrapped.empty()) return std::vector<std::string>{kDefaultRecordFile};
    output.problems << "bartizan audit: reading " << wrapped.front()
                    << ", the record of bartizan wrap"
                    << (wrapped.size() == 1 ? "" : " that was written last; name FILE for another")
                    << '\n';
    return std::vector{wrapped.front()};
  }
  const LoadedConfig loaded = load_config(place.config_file);
  if (!loaded.config.audit.file.empty()) return std::vector{loaded.config.audit.file};
  for (const ConfigProblem& problem : loaded.problems)
    output.problems << text(problem) << '\n';
  refuse_audit(output, place.config_file + " names no record: write [audit] file = \"PATH\"");
  return std::nullopt;
}

std::vector<std::string> unnamed_records(const RecordPlace& place) {
  std::error_code ignored;
  const bool is_named = !place.files.empty() || !place.config_file.empty() ||
                        std::filesystem::exists(kDefaultRecordFile, ignored);
  return is_named ? std::vector<std::string>() : wrap_records();
}

int for_each_record(const RecordPlace& place, const CommandOutput& output,
                    const std::function<int(const RecordPlace&)>& act) {
  const std::vector<std::string> records = unnamed_records(place);
  if (records.size() < 2) return act(place);
  int exit_code = kExitDone;
  for (const std::string& record : records) {
    output.problems << "bartizan audit: " << record << ":\n";
    const int done = act({.files = {record}});
    if (exit_code == kExitDone) exit_code = done;
  }
  return exit_code;
}

namespace {

/// The time of a record's last refusal, in its own spelling; empty if there is none.
std::string time_of_last_refusal(const std::string& record) {
  std::string latest;
  find_records(chain_paths(record), "last", [&latest](std::string_view line) {
    const auto parts = split_chain_line(line);
    RecordReader reader;
    const auto read = parts ? reader.read(parts->body) : fail(ErrorCode::not_found, Fault::client);
    if (!read.has_value()) return;
    const auto time = time_text((*read)->time);
    latest = std::max(latest, std::string(time.data(), time.size()));
  });
  return latest;
}

/// The record that has the decision; empty if none has it.
std::string record_with(const std::vector<std::string>& records, const std::string& id) {
  std::string found;
  std::string latest;
  for (const std::string& record : records) {
    if (id == "last") {
      const std::string time = time_of_last_refusal(record);
      if (time <= latest) continue;
      latest = time;
      found = record;
      continue;
    }
    const FoundRecords there = find_records(chain_paths(record), id, [](std::string_view) {});
    if (there.kind != FoundRecords::Kind::none) return record;
  }
  return found;
}

int verify_one(const AuditVerifyOptions& options, const CommandOutput& output) {
  std::optional<AuditHead> head;
  std::optional<AuditHead> from;
  if (!options.head.empty()) head = read_head(options.head, "--head", output);
  if (!options.from.empty()) from = read_head(options.from, "--from", output);
  if (head.has_value() == options.head.empty() || from.has_value() == options.from.empty()) {
    return kExitUsage;
  }
  const auto named = record_files(options.record, output);
  if (!named) return kExitFailed;
  // One file stands for its chain; several files, or a part, are given explicitly.
  const bool is_part = named->size() != 1 || from.has_value();
  const std::vector<std::string> files = is_part ? *named : chain_paths(named->front());
  std::optional<HeadVerdict> heads;
  if (options.heads.is_given() && !options.heads.is_asked()) {
    return refuse_audit(
        output,
        "--head-key and --max-age apply to signed heads: give these with --heads FILE "
        "([audit.heads] file names it) or --newest-head",
        kExitUsage);
  }
  if (options.heads.is_asked() && options.heads.key.empty()) {
    return refuse_audit(output, kNoHeadKey, kExitUsage);
  }
  if (!options.heads.max_age.empty() && !parse_duration(options.heads.max_age)) {
    return refuse_audit(output, options.heads.max_age + " is not a duration: write --max-age 1h",
                        kExitUsage);
  }
  if (options.heads.is_asked() && head.has_value()) {
    return refuse_audit(
        output, "--head and signed heads exclude each other: the newest signed head is the head",
        kExitUsage);
  }
  if (options.heads.is_asked()) {
    auto checked = check_heads(options.heads, files.back(), command_time());
    if (!checked.has_value()) return refuse_audit(output, checked.error());
    heads = *std::move(checked);
    if (!head.has_value()) head = heads->newest.head;
  }
  AuditVerdict verdict = verify_audit(files, head, options.progress, from);
  // The chain is intact, but it may be truncated.
  const bool is_doubtful = verdict.intact && heads.has_value() && !heads->doubt.empty();
  if (is_doubtful) verdict.first_problem = heads->doubt;
  const bool is_complete = verdict.intact && !is_doubtful;
  switch (output.format) {
    case OutputFormat::text:
      write_text(*named, files, verdict, output);
      if (heads.has_value() && verdict.intact) output.results << signed_text(*heads) << '\n';
      if (is_doubtful) output.problems << verdict.first_problem << '\n';
      break;
    case OutputFormat::json:
      verdict.intact = is_complete;
      write_json(files, verdict, heads, output);
      break;
  }
  if (is_doubtful) return finish(output, kExitFailed);
  return finish(output, verdict.intact ? kExitDone : kExitFailed);
}

}  // namespace

int verify_record(const AuditVerifyOptions& options, const CommandOutput& output) {
  return for_each_record(options.record, output, [&](const RecordPlace& place) {
    AuditVerifyOptions one = options;
    one.record = place;
    return verify_one(one, output);
  });
}

int show_record(const AuditShowOptions& options, const CommandOutput& output) {
  if (options.id.contains('/') || options.id.ends_with(".jsonl")) {
    return refuse_audit(output,
                        options.id +
                            " is not an id: the id comes first, then the file; \"last\" is "
                            "the last refusal",
                        kExitUsage);
  }
  if (const auto records = unnamed_records(options.record); records.size() > 1) {
    const std::string found = record_with(records, options.id);
    if (!found.empty()) {
      output.problems << "bartizan audit: reading " << found << ", the record of bartizan wrap\n";
      return show_record({.id = options.id, .record = {.files = {found}}}, output);
    }
  }
  const std::optional<std::vector<std::string>> named = record_files(options.record, output);
  if (!named) return kExitFailed;
  const std::string missing = find_missing(*named);
  if (!missing.empty()) {
    return refuse_audit(
        output, missing + " does not exist: name the record after the id, or give --config FILE");
  }
  const std::vector<std::string> files = named->size() == 1 ? chain_paths(named->front()) : *named;
  const std::optional<Config> config = read_policy(options.record.config_file, output);
  std::size_t shown = 0;
  bool is_changed = false;
  const FoundRecords found = find_records(files, options.id, [&](std::string_view line) {
    if (shown != 0) output.results << '\n';
    output.results << with_meaning(line, config.has_value() ? &*config : nullptr);
    const auto parts = split_chain_line(line);
    Digester digester;
    is_changed = is_changed || !parts.has_value() || !is_self_consistent(digester, *parts);
    ++shown;
  });
  switch (found.kind) {
    case FoundRecords::Kind::one:
      if (is_changed) {
        return refuse_audit(output,
                            "a record above was changed: its hash does not match; run "
                            "bartizan audit verify");
      }
      return finish(output, kExitDone);
    case FoundRecords::Kind::several:
      return refuse_ambiguous(options.id, found, output);
    case FoundRecords::Kind::none:
      break;
  }
  if (options.id == "last") {
    return refuse_audit(output,
                        fmt::format("nothing in {} was refused, withheld or truncated: there is no "
                                    "last refusal to show",
                                    joined(*named)));
  }
  return refuse_audit(output,
                      fmt::format("no decision in {} has the id {:.36}; audit tail --denied lists "
                                  "refusals",
                                  joined(*named), options.id));
}

}  // namespace bartizan
