#include "gateway/command/audit_commands.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <utility>

namespace bartizan {
namespace {

void add_json(CLI::App& command, CommandOutput& output, std::string what = "one JSON document") {
  command.add_flag_callback(
      "--json", [&output] { output.format = OutputFormat::json; }, std::move(what));
}

/// Record files, or a configuration that names the record.
void add_record(CLI::App& command, RecordPlace& place, std::string text) {
  command.add_option("FILE", place.files,
                     std::move(text) + " (default: var/audit.jsonl, or the newest of wrap)");
  command.add_option("--config", place.config_file, "read the record of this configuration");
}

void show_progress(std::function<void(std::uint64_t)>& progress) {
  if (isatty(STDERR_FILENO) != 1) return;
  progress = [](std::uint64_t records) { std::cerr << records << " records\r"; };
}

void add_heads(CLI::App& command, HeadOptions& heads) {
  command.add_option("--heads", heads.file, "file of signed heads, one per line");
  command.add_option("--newest-head", heads.newest, "signed head known to be the newest");
  command.add_option("--head-key", heads.key, "file of the Ed25519 public key, PEM");
}

void add_verify(CLI::App& audit, AuditCommands& commands, CommandOutput& output,
                std::function<int()>& action) {
  AuditVerifyOptions& options = commands.verify;
  CLI::App* verify = audit.add_subcommand("verify", "verify the hash chain over files in order");
  add_record(*verify, options.record, "record files, oldest first; for one file, its whole chain");
  verify->add_option("--head", options.head, "SEQ:HASH kept elsewhere");
  verify->add_option("--from", options.from, "SEQ:HASH that the first file continues");
  add_heads(*verify, options.heads);
  verify->add_option("--max-age", options.heads.max_age, "maximum age of the newest head: 1h");
  verify->add_option("--roster", commands.roster.file,
                     "file of required records, one `NAME CHAIN` per line; FILE is then a folder");
  add_json(*verify, output);
  show_progress(options.progress);
  verify->callback([&commands, &output, &action] {
    action = [&commands, &output] {
      if (commands.roster.file.empty()) return verify_record(commands.verify, output);
      if (commands.verify.heads.is_given()) {
        output.problems << "bartizan audit: --roster takes no heads: verify each record with its "
                           "own heads, audit verify FILE --heads FILE\n";
        return kExitUsage;
      }
      commands.roster.folders = commands.verify.record.files;
      return verify_roster(commands.roster, output);
    };
  });
}

void add_show(CLI::App& audit, AuditShowOptions& options, CommandOutput& output,
              std::function<int()>& action) {
  CLI::App* show = audit.add_subcommand("show", "show every record of one decision");
  show->add_option("ID", options.id, "decision id or its beginning; last: the last refusal")
      ->required();
  add_record(*show, options.record, "record files");
  show->callback([&options, &output, &action] {
    action = [&options, &output] { return show_record(options, output); };
  });
}

void add_tail(CLI::App& audit, AuditTailOptions& options, CommandOutput& output,
              std::function<int()>& action) {
  CLI::App* tail = audit.add_subcommand("tail", "show the last records, one per line");
  add_record(*tail, options.record, "one record file");
  tail->add_option("-n", options.lines, "number of records (default: 10)")
      ->check(CLI::Range(0, 1000000));
  tail->add_flag_callback(
      "--denied", [&options] { options.filter.verdict = RecordFilter::Verdict::denied; },
      "refusals and withheld results only");
  tail->add_option("--principal", options.filter.principal, "this caller only");
  tail->add_option("--tool", options.filter.tool,
                   "this tool only: files/read_file, files_read_file or read_file");
  tail->add_flag_callback(
      "--follow,-f", [&options] { options.then = AuditTailOptions::Then::follow; }, "keep reading");
  add_json(*tail, output);
  tail->callback([&options, &output, &action] {
    action = [&options, &output] { return tail_record(options, output); };
  });
}

void add_place(CLI::App& command, IndexedRecord& place) {
  add_record(command, place.record, "record file");
  command.add_option("--index", place.index, "index file (default: next to the record)");
  command.add_option("--since", place.since, "2026-11-30, 2026-11-30T12:00:00Z, yesterday or 24h");
  command.add_option("--until", place.until, "as --since");
  show_progress(place.progress);
}

void add_filters(CLI::App& command, AuditQueryOptions& options) {
  command.add_option("--principal", options.principal, "this caller");
  command.add_option("--tool", options.tool, "server/tool, or the tool alone");
  command.add_option("--rule", options.rule, "decided by this rule");
  command.add_option("--reason", options.reason, "refused for this reason");
  command.add_option("--decision", options.decision, "permit or deny")
      ->check(CLI::IsMember({"permit", "deny"}));
  command.add_option("--limit", options.limit, "maximum number, the last ones (default: 1000)")
      ->check(CLI::Range(1, 10'000'000));
  command.add_flag("--csv", options.csv, "comma-separated values");
}

void add_query(CLI::App& audit, AuditQueryOptions& options, CommandOutput& output,
               std::function<int()>& action) {
  CLI::App* query = audit.add_subcommand("query", "search records, oldest first");
  add_place(*query, options.place);
  add_filters(*query, options);
  query->add_option("--kind", options.kind, "this kind: decision, outcome, refusal, release, …");
  query->add_option("--text", options.words, "words that all occur in names or details")
      ->allow_extra_args(false);
  query->add_flag("--redacted", options.redacted, "with findings of detectors");
  add_json(*query, output, "the records, one per line");
  query->callback([&options, &output, &action] {
    action = [&options, &output] { return query_record(options, output); };
  });
}

void add_find(CLI::App& audit, AuditQueryOptions& options, CommandOutput& output,
              std::function<int()>& action) {
  CLI::App* find = audit.add_subcommand("find", "find calls that had exactly these arguments");
  find->add_option("--arguments", options.arguments_file, "file with the arguments, JSON")
      ->required();
  add_place(*find, options.place);
  add_filters(*find, options);
  add_json(*find, output, "the records, one per line");
  find->callback([&options, &output, &action] {
    action = [&options, &output] { return find_arguments(options, output); };
  });
}

void add_report(CLI::App& audit, AuditReportOptions& options, CommandOutput& output,
                std::function<int()>& action) {
  CLI::App* report = audit.add_subcommand(
      "report", "report refusals and their reasons, slow tools, masked secrets");
  add_place(*report, options.place);
  report->add_option("--format", options.format, "text, markdown or html (default: text)")
      ->check(CLI::IsMember({"text", "markdown", "html"}));
  add_json(*report, output);
  report->callback([&options, &output, &action] {
    action = [&options, &output] { return report_record(options, output); };
  });
}

void add_receipt(CLI::App& audit, ReceiptOptions& options, CommandOutput& output,
                 std::function<int()>& action) {
  CLI::App* receipt =
      audit.add_subcommand("receipt", "write a proof of one call, verifiable without the record");
  receipt->add_option("ID", options.id, "decision id")->required();
  add_record(*receipt, options.record, "record file");
  add_heads(*receipt, options.heads);
  receipt->callback([&options, &output, &action] {
    action = [&options, &output] { return write_receipt(options, output); };
  });
}

}  // namespace

void add_audit_commands(CLI::App& app, AuditCommands& commands, CommandOutput& output,
                        std::function<int()>& action) {
  CLI::App* audit = app.add_subcommand("audit", "read, search and verify the record");
  audit->require_subcommand(1);
  add_verify(*audit, commands, output, action);
  add_show(*audit, commands.show, output, action);
  add_tail(*audit, commands.tail, output, action);
  add_query(*audit, commands.query, output, action);
  add_report(*audit, commands.report, output, action);
  add_find(*audit, commands.find, output, action);
  add_receipt(*audit, commands.receipt, output, action);
}

}  // namespace bartizan
