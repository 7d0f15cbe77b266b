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
/// document is at that URL. A document is fetched each time, under the address guard, without
/// following redirects.
///
/// Input:   `now` in seconds since 1970; nothing of what is viewed ends before the answer.
/// Errors:  invalid_params for one that is unknown, or whose document is none; overloaded where as
///          many documents are on their way as may be; those of the store and of `fetch_document`.
/// Threads: those of the loop.
Task<Result<DoorClient>> find_client(Loop& loop, SignIns& sign_ins, Store& store,
                                     const FrontDoorConfig& door, std::string id, std::int64_t now);

}  // namespace bartizan
