#pragma once

#include <string>
#include <string_view>

#include "gateway/command/ask_page.h"
#include "gateway/review/command_output.h"
#include "schemas/base/result.h"

namespace bartizan {

/// The `[admin] socket` of a configuration. If it is missing or unusable, reports that to `output`
/// and returns an empty text.
///
/// Input: `instead`, the alternative to suggest without `[admin]`; empty: none.
std::string find_admin_socket(const std::string& config, std::string_view command,
                              std::string_view instead, const CommandOutput& output);

/// Sends a request to the gateway at that socket, and waits at most ten seconds. `question` is its
/// method and target: `GET /api/status`.
/// Errors: `closed`, with a sentence that names the socket.
Result<AskedPage> ask_admin(const std::string& socket, std::string_view question);

/// The `reason` in a page's JSON, or the page itself.
std::string reason_of_page(const AskedPage& page);

}  // namespace bartizan
