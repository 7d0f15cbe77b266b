#pragma once

#include <optional>
#include <string_view>

#include "policy/verdict/permit.h"
#include "schemas/message/message.h"

namespace bartizan {

/// What the gateway answers to a request of a server's that goes to no client: to a ping its
/// result, to any other an error with that sentence. Nothing in the modern era, where a server may
/// ask only within an answer (SEP-2260), and to what is no request.
std::optional<Permit> own_answer(Era era, const Message& request, std::string_view why);

/// Why a request is refused that came while the gateway itself asked the server for something.
inline constexpr std::string_view kNoClientsRequest = "not part of any client's request";

}  // namespace bartizan
