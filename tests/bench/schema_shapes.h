// Schemas and documents that fit them, as tools have them: what validators are measured with.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace bartizan {

/// A draft-07 schema without references and patterns, and a document that it accepts.
struct SchemaShape {
  std::string_view name;
  std::string schema;
  std::string document;
};

/// Arguments of 6, 30 and 200 properties, one of twenty alternatives, and objects within objects.
/// Lifetime: that of the process.
std::span<const SchemaShape> schema_shapes();

/// A schema of 10 KiB in the dialect that is meant where none is named.
std::string schema_of_10_kib();

}  // namespace bartizan
