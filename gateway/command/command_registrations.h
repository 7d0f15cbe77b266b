#pragma once

#include <cstdint>
#include <string>

#include "gateway/review/command_output.h"

namespace bartizan {

/// Options of `bartizan registrations`.
struct RegistrationsOptions {
  enum class Act : std::uint8_t { list, approve, remove } act = Act::list;
  std::string config;       ///< Configuration with the `[admin] socket`.
  std::int64_t number = 0;  ///< Of one registration.
};

/// `bartizan registrations list|approve|remove`: lists the tools that clients registered, or
/// approves or removes a registration.
///
/// Returns kExitFailed if the gateway refuses or does not respond. Returns kExitUsage if the
/// configuration is unusable or has no `[admin]`.
int decide_registrations(const RegistrationsOptions& options, const CommandOutput& output);

}  // namespace bartizan
