#pragma once

#include <string>
#include <string_view>

#include "gateway/status/status_server.h"
#include "gateway/worker/worker.h"

namespace bartizan {

/// The pages of the metrics listener: `/metrics`, `/healthz`, `/readyz`.
///
/// `/healthz` says that the process runs. It has the head of the record, to be kept elsewhere.
/// `/readyz` is 200 while calls are accepted: servers probed, record writable, not stopping.
Task<StatusPage> status_page(Loop& asking, Gateway& gateway, std::string_view path);

/// The pages of the admin socket: `/api/status`, `/api/revocations`.
Task<StatusPage> admin_page(Loop& asking, Gateway& gateway, std::string_view path);

}  // namespace bartizan
