#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/tool_registration.h"
#include "gateway/store/store.h"

namespace bartizan {

/// A registration of a tool, with its author and approver.
struct KeptRegistration {
  ToolRegistration registration;
  std::string text = {};         ///< As received: `params` of `tools/register`, JSON.
  std::string by = {};           ///< The principal that registered the tool.
  std::string decision_id = {};  ///< Of its record.
  std::chrono::sys_seconds at = {};
  std::string approved_by = {};  ///< A principal, or `uid:N`; empty while it is pending.
};

/// The registrations of tools, in the state file and in memory. A tool has at most one approved and
/// one pending registration.
///
/// Errors:  those of `Store`.
/// Threads: any.
/// Bounded: by `limits::tool_registrations_max`.
class ToolRegistrations {
 public:
  explicit ToolRegistrations(std::shared_ptr<Store> store);

  /// Reads the state file. Waits for the disk: for the start. Errors: an invalid row.
  Result<void> load();
  /// Sets a function that is called after each change of the file, on the thread of the state file.
  /// It must not wait. An empty function disables it.
  void on_change(std::function<void()> changed);
  /// All registrations, by their numbers.
  std::vector<KeptRegistration> all() const;
  /// The registration with that number, or nothing.
  std::optional<KeptRegistration> find(std::int64_t number) const;

  // A change that timed out may still be made; `on_change` reports it.

  /// Stores a pending registration. It replaces the same principal's pending registration of the
  /// same tool. If the same text is stored already, that registration is returned unchanged.
  /// Errors: invalid_params if another principal's registration of the tool is pending; overloaded
  ///         if there are too many. Nothing was changed then.
  Task<Result<KeptRegistration>> add(Loop& loop, KeptRegistration kept);
  /// Approves the registration with that number. It replaces the tool's approved one. Nothing if
  /// there is no pending one with that number.
  Task<Result<std::optional<KeptRegistration>>> approve(Loop& loop, std::int64_t number,
                                                        std::string by);
  /// Deletes and returns the registration with that number; nothing if there is none.
  Task<Result<std::optional<KeptRegistration>>> remove(Loop& loop, std::int64_t number);

 private:
  struct Present;

  std::shared_ptr<Store> store_;
  std::shared_ptr<Present> present_;  ///< Shared with the thread of the state file.
};

}  // namespace bartizan
