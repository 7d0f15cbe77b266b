#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "gateway/worker/worker.h"
#include "policy/check/lists_equal.h"

namespace bartizan {

/// The lists that may differ for a caller from before.
struct ChangedLists {
  bool tools = false;
  bool prompts = false;
  bool resources = false;
};

/// Compares the lists under an earlier view with those under a worker's present view, for one
/// caller after the other. For an unchanged server, entries are compared as far as its lists are
/// known here: a client that never requested a list has no old one. A server that was added,
/// removed or redefined counts as a change of everything that it offers.
///
/// Threads: the worker's.
/// Cost:    nothing for a server about which both policies say the same; otherwise policy is asked
///          twice about each entry, once for all callers that share principal, endpoint and
///          instance. After each list others have a turn.
class ListChanges {
 public:
  ListChanges(Worker& worker, View before);

  /// Input: the caller's endpoint, as in `Credentials`; its session in the legacy era, or an empty
  ///        text.
  Task<ChangedLists> changed_for(PrincipalPtr principal, std::optional<std::string> endpoint,
                                 std::string session, Era era);

 private:
  struct Side;

  static Side side_of(const View& view, const Principal& principal,
                      const std::optional<std::string>& endpoint, Era era);
  const EqualLists& same_views(const Config& was, const Config& is);
  bool is_said_alike(const std::string& server);
  Task<ChangedLists> compare(const Side& was, const Side& is, InstanceKey key);

  Worker& worker_;
  View before_;
  View now_;
  std::optional<EqualLists> same_views_;
  std::map<std::string, bool> said_alike_;
  std::map<std::tuple<PrincipalPtr, std::optional<std::string>, InstanceKey>, ChangedLists>
      compared_;
};

/// Notifies every listening session of this worker which of its lists have changed since the last
/// call of this function, if `initialize` announced that.
Task<void> tell_changed_lists(Worker& worker);

/// The notification of such a change. `params` may be empty.
std::string changed_tools(std::string_view params);
std::string changed_prompts(std::string_view params);
std::string changed_resources(std::string_view params);

}  // namespace bartizan
