#pragma once

#include <string>
#include <vector>

#include "policy/text/byte_edits.h"
#include "schemas/json/json.h"

namespace bartizan {

/// A member of arguments that gets another name, and those below it that do.
struct RenamedMember {
  std::string name = {};
  std::string renamed = {};  ///< Empty where it keeps its name.
  std::vector<RenamedMember> members = {};
  bool operator==(const RenamedMember&) const = default;
};

/// Gives the properties of an input schema other names, wherever a keyword names them: in
/// `properties`, `required`, `dependentRequired`, `dependentSchemas`, `dependencies` and the `enum`
/// of `propertyNames`, also within `allOf`, `anyOf`, `oneOf`, `if`, `then`, `else` and `not`.
///
/// False where the schema would say something else afterwards: it has both names of one, a `$ref`
/// leads to what names one or to what is renamed, a pattern or a schema of names holds for one of
/// both names alone, or a value or schema of other members names one. The edits are then useless.
///
/// Cost: one visit to the schema; one more where it has references. Each schema of names is
/// compiled.
bool rename_schema(JsonValue schema, const std::vector<RenamedMember>& members, ByteEdits& edits);

}  // namespace bartizan
