#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "gateway/process/descriptor.h"
#include "schemas/base/result.h"

namespace bartizan {

/// The response of a gateway on this machine.
struct AskedPage {
  int status = 0;
  std::string text;
};

/// Whether the descriptor is ready before the deadline; `how` as for poll(2).
bool can_use(const Descriptor& socket, short how, std::chrono::steady_clock::time_point deadline);

/// Sends one request without a body to a connected socket, and reads the response until the peer
/// closes. `question` is its method and target: `GET /readyz`.
/// Errors: `closed`, with the reason: no response in time, a response longer than ours ever are, or
///         one that is not HTTP.
Result<AskedPage> ask_page(const Descriptor& socket, std::string_view question,
                           std::chrono::steady_clock::time_point deadline);

}  // namespace bartizan
