#pragma once

#include <string>
#include <vector>

#include "policy/text/byte_edits.h"
#include "schemas/json/json.h"

namespace bartizan {

/// A renamed member of the arguments, with the renamed members below it.
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
/// False if the schema would mean something else afterwards. It has both names, a `$ref` leads to a
/// renamed part, a pattern or a schema of names fits only one of both names, or a value or schema
/// of other members has the name. The edits must not be used then.
///
/// Cost: one visit to the schema; one more where it has references. Each schema of names is
/// compiled.
bool rename_schema(JsonValue schema, const std::vector<RenamedMember>& members, ByteEdits& edits);

}  // namespace bartizan
