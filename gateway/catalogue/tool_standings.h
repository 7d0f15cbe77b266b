#pragma once

#include "gateway/catalogue/catalogue.h"

namespace bartizan {

/// Marks the released tool of a list as one that a person took instead of the pinned definition.
/// Nothing changes where the list has no tool of that name and fingerprint.
void apply_release(ServerList& list, const Catalogue::Release& release);

/// Removes the server's own tools from what the definitions of a list direct a model to
/// (`ToolStanding::directed`): a text that says how to use a tool of its own server speaks of
/// nobody else's. Cost: one pass over the names, where a definition directs at all.
void drop_own_tools(ServerList& list);

}  // namespace bartizan
