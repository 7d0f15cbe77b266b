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

/// What the commands that read a record are told.
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

/// Adds `audit` with what stands below it: each fills `commands`, and sets `action` to what it asks
/// for.
///
/// Lifetime: all of them outlive the parsing of the command line, and `action`.
void add_audit_commands(CLI::App& app, AuditCommands& commands, CommandOutput& output,
                        std::function<int()>& action);

}  // namespace bartizan
