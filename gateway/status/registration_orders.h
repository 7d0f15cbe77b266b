#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gateway/status/release_tool.h"
#include "gateway/store/tool_registrations.h"
#include "gateway/worker/worker.h"

namespace bartizan {

/// What a person decides about the registration of a tool.
enum class RegistrationVerdict : std::uint8_t {
  approve,  ///< The tool may be called within what the registration adds to its profile.
  remove    ///< The registration is forgotten: one that waits, or one that was approved.
};

/// What became of it.
struct RegistrationAnswer {
  enum class Kind : std::uint8_t {
    done,
    unknown,        ///< There is no registration of that number.
    not_done,       ///< It cannot be done here, or by this person, or not now.
    not_recordable  ///< Nobody could have learnt of it, so nothing was done.
  };
  Kind kind = Kind::done;
  std::string why = {};  ///< Why not, in a sentence; empty where it was done.
  KeptRegistration registration = {};
};

/// Decides about a registration: on record before it is kept, and kept before it is in force.
///
/// Whoever registered a tool cannot approve that.
/// Errors:  a number that nothing has; no `[state]`; a store that fails; a record that fails.
/// Threads: those of `asking`, the control loop.
Task<RegistrationAnswer> decide_registration(Loop& asking, Gateway& gateway, std::int64_t number,
                                             RegistrationVerdict verdict, Operator by);

/// All registrations, by their numbers; none without `[state]`.
std::vector<KeptRegistration> present_registrations(const Gateway& gateway);

/// GET `/api/registrations`.
StatusPage registrations_page(const Gateway& gateway);

/// POST `/api/registration/approve/NUMBER` and `/api/registration/remove/NUMBER`. Answers 200; 400
/// for no number, 404 for one that nothing has, 409 for what cannot be done here or now, 503 where
/// it cannot be recorded. Whatever is not 200 has changed nothing, and says why.
Task<StatusPage> order_registration(Loop& asking, Gateway& gateway, AdminOrder order);

}  // namespace bartizan
