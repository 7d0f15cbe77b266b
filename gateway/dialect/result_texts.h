#pragma once

#include <string>

#include "schemas/json/json.h"

namespace bartizan {

/// The text blocks of a result's `content`, joined with line ends. Other blocks are left out.
/// Input: the array; may be absent.
std::string texts_of_content(JsonValue content);

}  // namespace bartizan
