#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gateway/status/release_tool.h"
#include "gateway/store/tool_registrations.h"
#include "gateway/worker/worker.h"

namespace bartizan {

/// A person's decision about the registration of a tool.
enum class RegistrationVerdict : std::uint8_t {
  approve,  ///< The tool may be called within the limits that the registration adds to its profile.
  remove    ///< The pending or approved registration is deleted.
};

/// The result of a decision.
struct RegistrationAnswer {
  enum class Kind : std::uint8_t {
    done,
    unknown,        ///< There is no registration with that number.
    not_done,       ///< It is not possible here, by this person, or now.
    not_recordable  ///< It could not be recorded, so nothing was done.
  };
  Kind kind = Kind::done;
  std::string why = {};  ///< The reason for a failure, as a sentence; empty after success.
  KeptRegistration registration = {};
};

/// Decides about a registration. The decision is recorded before it is stored, and stored before it
/// is in force.
///
/// The principal that registered a tool cannot approve that registration.
/// Errors:  an unknown number; no `[state]`; a store that fails; a record that fails.
/// Threads: those of `asking`, the control loop.
Task<RegistrationAnswer> decide_registration(Loop& asking, Gateway& gateway, std::int64_t number,
                                             RegistrationVerdict verdict, Operator by);

/// All registrations, by their numbers; none without `[state]`.
std::vector<KeptRegistration> present_registrations(const Gateway& gateway);

/// GET `/api/registrations`.
StatusPage registrations_page(const Gateway& gateway);

/// POST `/api/registration/approve/NUMBER` and `/api/registration/remove/NUMBER`. Answers 200; 400
/// for an invalid number, 404 for an unknown one, 409 if it is not possible here or now, 503 if it
/// cannot be recorded. Any other status than 200 means that nothing has changed, and its page has
/// the reason.
Task<StatusPage> order_registration(Loop& asking, Gateway& gateway, AdminOrder order);

}  // namespace bartizan
