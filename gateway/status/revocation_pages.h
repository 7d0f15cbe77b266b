#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/status/release_tool.h"
#include "gateway/status/status_server.h"
#include "gateway/store/revocations.h"
#include "gateway/worker/worker.h"

namespace bartizan {

/// Takes an operator's orders over the admin socket, by their path and query:
///
/// - `/api/release/…`: see `release_tool`;
/// - `/api/revoke/principal`, `…/session`, `…/key`, `…/token` and `/api/block/principal`,
///   `…/server`, `…/tool`, each with `?name=NAME&why=WHY` and optionally `&for=1h`;
/// - `/api/lift/NUMBER`;
/// - `/api/registration/approve/NUMBER` and `…/remove/NUMBER`: see `order_registration`.
///
/// Answers 200; 400 for an invalid order, 404 for an unknown name or number, 409 if it is not
/// possible here or now, 503 if it cannot be recorded. Any other status than 200 means that nothing
/// has changed, unless its page says so. The page has the reason.
/// Threads: those of `asking`, the control loop.
Task<StatusPage> take_order(Loop& asking, Gateway& gateway, AdminOrder order);

/// GET `/api/revocations`, and `/api/revocations/NUMBER` for those after that number: at most 500
/// active ones, by their numbers, and whether there are more.
StatusPage revocations_page(const Gateway& gateway, std::string_view path);

/// All active ones, by their numbers.
std::vector<Revocation> present_revocations(const Gateway& gateway);

/// The number in a path or a form: a whole number, and nothing after it. Otherwise nothing.
std::optional<std::int64_t> read_number(std::string_view text);

/// `2026-11-27 17:05:42 UTC`
std::string time_text(std::chrono::sys_seconds time);

}  // namespace bartizan
