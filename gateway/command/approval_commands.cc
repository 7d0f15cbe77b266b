#include "gateway/command/approval_commands.h"

#include <array>
#include <iostream>

#include <CLI/CLI.hpp>

namespace bartizan {
namespace {

using Act = ApprovalsOptions::Act;

struct ActOfLine {
  Act act;
  const char* name;
  const char* help;
  bool takes_id = true;
};

void add_act(CLI::App& command, const ActOfLine& of, ApprovalsOptions& options,
             CommandOutput& output, std::function<int()>& action) {
  CLI::App* sub = command.add_subcommand(of.name, of.help);
  sub->add_option("FILE", options.words,
                  of.takes_id ? "configuration with [console], TOML, and the request's ID"
                              : "configuration with [console], TOML");
  sub->add_option("--console", options.door.url, "URL of the console, instead of FILE");
  sub->add_option("--key", options.door.key,
                  "file:PATH or env:NAME: your own API key (default: env:BARTIZAN_KEY)");
  sub->add_option("--ca", options.door.ca,
                  "PEM roots for the console's certificate (default: those of the system)");
  if (of.act == Act::approve || of.act == Act::deny) {
    sub->add_option("--why", options.why, "for the record; no secret");
  }
  if (of.act == Act::approve) {
    sub->add_flag("--yes", options.is_sure, "approve without showing the call and asking");
  }
  sub->add_flag_callback(
      "--json", [&output] { output.format = OutputFormat::json; },
      of.act == Act::watch ? "one JSON document per line" : "one JSON document");
  sub->callback([&options, &output, &action, act = of.act] {
    options.act = act;
    action = [&options, &output] { return answer_approvals(options, std::cin, output); };
  });
}

}  // namespace

void add_approval_commands(CLI::App& app, ApprovalsOptions& options, CommandOutput& output,
                           std::function<int()>& action) {
  CLI::App* command = app.add_subcommand(
      "approvals", "calls that wait for approval (list, show, approve, deny, watch)");
  command->require_subcommand(1);
  const std::array acts{
      ActOfLine{Act::list, "list", "list requests that are pending or approved", false},
      ActOfLine{Act::show, "show", "show all of one call"},
      ActOfLine{Act::approve, "approve", "show one call, and approve it once"},
      ActOfLine{Act::deny, "deny", "refuse one call"},
      ActOfLine{Act::watch, "watch", "print new requests until interrupted", false}};
  for (const ActOfLine& act : acts)
    add_act(*command, act, options, output, action);
}

}  // namespace bartizan
