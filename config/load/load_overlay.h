#pragma once

#include <string>

#include "config/schema_files.h"
#include "config/table_reader.h"

namespace bartizan {

/// The operator's own schema for a tool's arguments, as JSON text, and the place of its key.
struct Overlay {
  std::string text = {};  ///< Empty if it is absent or unusable.
  Position where = {};
};

/// The `schema` of a profile: a table, which is converted to JSON, or a file of `files`.
/// Errors: reported: a schema that is not JSON or does not compile. Errors in a table are reported
///         at their places, those in a file with a JSON pointer. A file that `files` lacks was
///         reported before.
/// Cost:   one compilation.
Overlay load_overlay(TableReader& profile, const SchemaFiles& files);

}  // namespace bartizan
