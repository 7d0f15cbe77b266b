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

/// Everything that an operator orders over the admin socket, by its path and query:
///
/// - `/api/release/…`: see `release_tool`;
/// - `/api/revoke/principal`, `…/session`, `…/key`, `…/token` and `/api/block/principal`,
///   `…/server`, `…/tool`, each with `?name=NAME&why=WHY` and perhaps `&for=1h`;
/// - `/api/lift/NUMBER`;
/// - `/api/registration/approve/NUMBER` and `…/remove/NUMBER`: see `order_registration`.
///
/// Answers 200; 400 for what says nothing that could be done, 404 for a name or number that
/// nothing has, 409 for what cannot be done here or now, 503 where it cannot be recorded. Whatever
/// is not 200 has changed nothing, and says why.
/// Threads: those of `asking`, the control loop.
Task<StatusPage> take_order(Loop& asking, Gateway& gateway, AdminOrder order);

/// GET `/api/revocations`, and `/api/revocations/NUMBER` for those behind that number: at most 500
/// that hold, by their numbers, and whether there are more.
StatusPage revocations_page(const Gateway& gateway, std::string_view path);

/// All that hold now, by their numbers.
std::vector<Revocation> present_revocations(const Gateway& gateway);

/// The number that a path or a form names: a whole one, and nothing after it. Nothing otherwise.
std::optional<std::int64_t> read_number(std::string_view text);

/// `2026-11-27 17:05:42 UTC`
std::string time_text(std::chrono::sys_seconds time);

}  // namespace bartizan
