#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gateway/front_door/client_document.h"
#include "gateway/front_door/sign_ins.h"
#include "gateway/runtime/loop.h"
#include "gateway/runtime/task.h"
#include "gateway/store/store.h"

namespace bartizan {

/// Finds the client of that id: a configured one, one that registered itself, or one with a
/// metadata document at that URL. The document is fetched under the address guard, without
/// redirects, and kept for `SignIns::kClientAge`.
///
/// Input:   the network of the requester; `now` in seconds since 1970. Everything viewed outlives
/// the call.
/// Errors:  invalid_params for an unknown client or an invalid document, with a sentence for its
/// developer. server_failed for a document that cannot be fetched; its sentence is not for
/// strangers. overloaded at the most concurrent fetches. Those of the store.
/// Threads: those of the loop.
Task<Result<DoorClient>> find_client(Loop& loop, SignIns& sign_ins, Store& store,
                                     const FrontDoorConfig& door, std::string id,
                                     std::string network, std::int64_t now);

}  // namespace bartizan
