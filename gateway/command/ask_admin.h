#pragma once

#include <string>
#include <string_view>

#include "gateway/command/ask_page.h"
#include "gateway/review/command_output.h"
#include "schemas/base/result.h"

namespace bartizan {

/// The `[admin] socket` of a configuration; empty where it cannot be used or has none, of which
/// `output` was told then.
///
/// Input: `instead`, what else may be done where there is no `[admin]`; empty for nothing.
std::string find_admin_socket(const std::string& config, std::string_view command,
                              std::string_view instead, const CommandOutput& output);

/// Asks the gateway that runs behind that socket, and waits ten seconds at most. `question` is its
/// method and its target: `GET /api/status`.
/// Errors: closed, with a sentence that names the socket.
Result<AskedPage> ask_admin(const std::string& socket, std::string_view question);

/// The `reason` that a page gives in its JSON, or the page itself.
std::string reason_of_page(const AskedPage& page);

}  // namespace bartizan
