#pragma once

#include <string>

#include "config/schema_files.h"
#include "config/table_reader.h"

namespace bartizan {

/// The operator's own schema for a tool's arguments, as JSON text, and where its key stands.
struct Overlay {
  std::string text = {};  ///< Empty where there is none, or none that can be used.
  Position where = {};
};

/// The `schema` of a profile: a table, which is turned into JSON, or a file of `files`.
/// Errors: what is no JSON, and what does not compile, is reported where it stands in a table, and
///         of a file with the pointer that leads to it. A file that `files` lacks was reported.
/// Cost:   one compilation.
Overlay load_overlay(TableReader& profile, const SchemaFiles& files);

}  // namespace bartizan
