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

/// A registration of a tool, and who made and approved it.
struct KeptRegistration {
  ToolRegistration registration;
  std::string text = {};         ///< As it came: `params` of `tools/register`, JSON.
  std::string by = {};           ///< Principal that registered the tool.
  std::string decision_id = {};  ///< Of the record that tells of it.
  std::chrono::sys_seconds at = {};
  std::string approved_by = {};  ///< A principal, or `uid:N`; empty while it waits.
};

/// The registrations of tools, in the state file and in memory. Of a tool there is at most one that
/// is approved, and one that waits.
///
/// Errors:  those of `Store`.
/// Threads: any.
/// Bounded: by `limits::tool_registrations_max`.
class ToolRegistrations {
 public:
  explicit ToolRegistrations(std::shared_ptr<Store> store);

  /// Reads what the state file has. Waits for the disk: for the start. Errors: a row that is none.
  Result<void> load();
  /// From now on that is called after each change that is in the file, by the thread of the state
  /// file; an empty function for nothing. It must not wait.
  void on_change(std::function<void()> changed);
  /// All of them, by their numbers.
  std::vector<KeptRegistration> all() const;
  /// The one with that number, or nothing.
  std::optional<KeptRegistration> find(std::int64_t number) const;

  // What takes longer than a caller waits (timed_out) may yet be done; `on_change` tells of it.

  /// Keeps a registration that waits, in the place of one by the same principal that waits for the
  /// same tool. What is kept already, word by word, is answered as it stands.
  /// Errors: invalid_params where one of another principal waits for the same tool; overloaded
  ///         where there are too many. Nothing was changed then.
  Task<Result<KeptRegistration>> add(Loop& loop, KeptRegistration kept);
  /// Approves the one with that number: it takes the place of the one that was approved before.
  /// Nothing where there is none that waits.
  Task<Result<std::optional<KeptRegistration>>> approve(Loop& loop, std::int64_t number,
                                                        std::string by);
  /// Forgets the one with that number, and answers it; nothing where there is none.
  Task<Result<std::optional<KeptRegistration>>> remove(Loop& loop, std::int64_t number);

 private:
  struct Present;

  std::shared_ptr<Store> store_;
  std::shared_ptr<Present> present_;  ///< The thread's of the state file, too.
};

}  // namespace bartizan
