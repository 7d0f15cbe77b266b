#pragma once

#include <functional>

#include "gateway/command/command_audit.h"
#include "gateway/command/command_query.h"
#include "gateway/command/command_receipt.h"
#include "gateway/command/command_roster.h"
#include "gateway/review/command_output.h"

namespace CLI {
class App;
}

namespace bartizan {

/// The options of the commands that read a record.
struct AuditCommands {
  AuditVerifyOptions verify;
  RosterOptions roster;
  AuditShowOptions show;
  AuditTailOptions tail;
  AuditQueryOptions query;
  AuditQueryOptions find;
  AuditReportOptions report;
  ReceiptOptions receipt;
};

/// Adds `audit` and its subcommands to the command line. Each fills `commands`, and sets `action`
/// to its work.
///
/// Lifetime: all arguments outlive the parsing of the command line, and `action`.
void add_audit_commands(CLI::App& app, AuditCommands& commands, CommandOutput& output,
                        std::function<int()>& action);

}  // namespace bartizan
