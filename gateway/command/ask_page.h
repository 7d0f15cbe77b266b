#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "gateway/process/descriptor.h"
#include "schemas/base/result.h"

namespace bartizan {

/// What a gateway of this machine answered.
struct AskedPage {
  int status = 0;
  std::string text;
};

/// Whether the descriptor can be used before the deadline; `how` as poll(2) has it.
bool can_use(const Descriptor& socket, short how, std::chrono::steady_clock::time_point deadline);

/// Sends one request without a body to a connected socket, and reads the answer until the peer
/// closes. `question` is its method and its target: `GET /readyz`.
/// Errors: closed, with why: no answer in time, a longer one than ours, or none of HTTP.
Result<AskedPage> ask_page(const Descriptor& socket, std::string_view question,
                           std::chrono::steady_clock::time_point deadline);

}  // namespace bartizan
