#pragma once

#include "gateway/worker.h"

namespace bartizan {

/// Which lists a caller may be shown otherwise than before.
struct ChangedLists {
  bool tools = false;
  bool prompts = false;
  bool resources = false;
};

/// Compares what the lists would show a caller under `before` with what they show under the
/// worker's present snapshot and directory. Of a server that stayed the same, names are compared,
/// as far as its lists are known here: a client that never asked for one has nothing old. A server
/// that came, went or was defined anew counts as a change of everything that it offers.
///
/// Threads: the worker's.
ChangedLists changed_lists(Worker& worker, const View& before, const InstanceCaller& caller);

/// Tells every session here that listens which of its lists have changed since this was last
/// called, where it was told at its beginning that it would be.
void tell_changed_lists(Worker& worker);

/// The notification that says so. `params` may be empty.
std::string changed_tools(std::string_view params);
std::string changed_prompts(std::string_view params);
std::string changed_resources(std::string_view params);

}  // namespace bartizan
