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

/// The client of that id: a configured one, one that registered itself, or one whose metadata
/// document is at that URL. A document is fetched under the address guard, without following
/// redirects, and remembered for `SignIns::kClientAge`.
///
/// Input:   the network that it is asked from; `now` in seconds since 1970; nothing of what is
///          viewed ends before the answer.
/// Errors:  invalid_params for one that is unknown, or whose document is none, a sentence for its
///          maker; server_failed where the document cannot be fetched, whose sentence is not for
///          strangers; overloaded where as many are on their way as may be; those of the store.
/// Threads: those of the loop.
Task<Result<DoorClient>> find_client(Loop& loop, SignIns& sign_ins, Store& store,
                                     const FrontDoorConfig& door, std::string id,
                                     std::string network, std::int64_t now);

}  // namespace bartizan
