#pragma once

#include <string>

#include "gateway/worker/worker.h"

namespace bartizan {

/// Logs the unapproved tools of a server's list, each once for each reason. If there are many, the
/// log has the first ones and their number.
void report_unapproved_tools(Worker& worker, const std::string& server, const ServerList& list);

/// Logs the unapproved tools of all lists that the worker knows, each once for each reason. If
/// there are many, the log has the first ones of each list and their number. Called after a change
/// of the lock file.
void report_unapproved_tools(Worker& worker);

}  // namespace bartizan
