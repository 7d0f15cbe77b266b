#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schemas/schema/folded_properties.h"
#include "schemas/schema/schema_program.h"

namespace bartizan {

/// See `JsonSchema::declares`.
/// Cost: the schemas that apply to one value, for each token.
bool declares_any_member(const SchemaProgram& program);
bool declares_pointer(const SchemaProgram& program, std::string_view pointer);

/// See `JsonSchema::may_be`. If several schemas apply, one that accepts the type is enough.
bool may_be_at(const SchemaProgram& program, std::string_view pointer, JsonType type);

/// See `JsonSchema::named_pointers`.
std::vector<std::string> named_pointers(const SchemaProgram& program);

/// See `JsonSchema::without_unnamed`.
std::string without_unnamed(const SchemaProgram& program, std::string_view pointer);

/// See `JsonSchema::find_folded`. `names` are those of the program.
JsonValue find_folded_member(const SchemaProgram& program, const FoldedProperties& names,
                             JsonValue value);

}  // namespace bartizan
