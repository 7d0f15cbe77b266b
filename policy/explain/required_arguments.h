#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "schemas/json/json.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {

/// An argument that the schema of a tool requires.
struct RequiredArgument {
  std::string name = {};
  /// All values that the schema takes, as JSON, where its `const` or `enum` names them; else empty.
  std::vector<std::string> values = {};
  /// Some value of its type, as JSON, where that is neither an object nor an array; else empty.
  std::string sample = {};
};

/// The arguments that every call of a tool has beside those of `given`, as far as its schema says
/// so plainly: by `required` and `properties` at its top. All others are left out.
std::vector<RequiredArgument> required_arguments(const ToolDefinition& definition, JsonValue given);

/// `arguments`, a JSON object, with the value of one more.
std::string with_argument(const std::string& arguments, const std::string& name,
                          const std::string& value);

/// `arguments` with each combination of the values that the schema takes. Empty where it names
/// none, or where there are more than `most`.
std::vector<std::string> combined_arguments(const std::string& arguments,
                                            const std::vector<RequiredArgument>& required,
                                            std::size_t most);

}  // namespace bartizan
