#pragma once

#include "gateway/catalogue/catalogue.h"

namespace bartizan {

/// Marks the released tool of a list as one that a person accepted instead of the pinned
/// definition. Does nothing if the list has no tool of that name and fingerprint.
void apply_release(ServerList& list, const Catalogue::Release& release);

/// Removes the server's own tools from those that its definitions direct a model to
/// (`ToolStanding::directed`). A text about tools of its own server is harmless to others. Cost:
/// one pass over the names, if any definition directs a model.
void drop_own_tools(ServerList& list);

}  // namespace bartizan
