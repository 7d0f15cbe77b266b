#pragma once

#include <string>

#include "gateway/worker/worker.h"

namespace bartizan {

/// Logs which tools of a server's list are not what people approved, each once for each reason. A
/// server may list thousands; of so many the log has the first ones and their number.
void report_unapproved_tools(Worker& worker, const std::string& server, const ServerList& list);

/// Logs which tools of all lists that the worker knows are not what people approved, each once for
/// each reason. Of many the log has the first ones of each list and their number. For another lock
/// file, which may approve others.
void report_unapproved_tools(Worker& worker);

}  // namespace bartizan
