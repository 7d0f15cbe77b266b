#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "schemas/schema/json_schema.h"
#include "schemas/schema/schema_index.h"
#include "schemas/schema/schema_program.h"

namespace bartizan {

/// Compiles the schema at the index's root and all schemas that it reaches.
///
/// Errors:   every flaw but not_json.
/// Lifetime: the program keeps handles into the documents of the index.
/// Cost:     one visit to every reached schema. The stack does not grow with references.
SchemaResult<std::unique_ptr<SchemaProgram>> compile_program(SchemaIndex& index,
                                                             const SchemaOptions& options);

/// The schemas that `schema` applies to the same value.
std::vector<SchemaNumber> in_place_of(const CompiledSchema& schema);

/// Marks the schemas that accept every value, perhaps only through others: see
/// `CompiledSchema::is_always`.
/// Input: a program without a flaw in its chains.
void find_always(SchemaProgram& program);

/// A forbidden chain of schemas that apply to one value through each other.
struct ChainFlaw {
  SchemaFlaw flaw;      ///< endless or too_deep.
  SchemaNumber schema;  ///< The place of discovery.
};

/// The first schema in a chain that is endless, or longer than `chain_max`.
std::optional<ChainFlaw> find_chain_flaw(const SchemaProgram& program, std::size_t chain_max);

}  // namespace bartizan
