#pragma once

#include <cstdint>
#include <string>

#include "gateway/review/command_output.h"

namespace bartizan {

/// What `bartizan registrations` is told.
struct RegistrationsOptions {
  enum class Act : std::uint8_t { list, approve, remove } act = Act::list;
  std::string config;       ///< Configuration, whose `[admin] socket` is asked.
  std::int64_t number = 0;  ///< Of one registration.
};

/// `bartizan registrations list|approve|remove`: tools that clients registered, and a person's
/// word on one of them.
///
/// Answers kExitFailed where the gateway refuses, or does not answer; kExitUsage where the
/// configuration cannot be used or has no `[admin]`.
int decide_registrations(const RegistrationsOptions& options, const CommandOutput& output);

}  // namespace bartizan
