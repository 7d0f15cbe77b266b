#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "gateway/worker/worker.h"
#include "policy/check/lists_equal.h"

namespace bartizan {

/// Which lists a caller may be shown otherwise than before.
struct ChangedLists {
  bool tools = false;
  bool prompts = false;
  bool resources = false;
};

/// Compares what the lists showed under one view with what they show under the present one of a
/// worker, for one caller after the other. Of a server that stayed the same, entries are compared,
/// as far as its lists are known here: a client that never asked for one has nothing old. A server
/// that came, went or was defined anew counts as a change of everything that it offers.
///
/// Threads: the worker's.
/// Cost:    nothing for a server about which both policies say the same; otherwise policy is asked
///          twice about each entry, once for all callers that share principal, endpoint and
///          instance. After each list others have a turn.
class ListChanges {
 public:
  ListChanges(Worker& worker, View before);

  /// Input: where the caller came in, as in `Credentials`; the session that the caller has in the
  ///        legacy era, or an empty text.
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

/// Tells every session here that listens which of its lists have changed since this was last
/// called, where it was told at its beginning that it would be.
Task<void> tell_changed_lists(Worker& worker);

/// The notification that says so. `params` may be empty.
std::string changed_tools(std::string_view params);
std::string changed_prompts(std::string_view params);
std::string changed_resources(std::string_view params);

}  // namespace bartizan
