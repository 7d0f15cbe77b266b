#pragma once

#include <string>

#include "schemas/json/json.h"

namespace bartizan {

/// The texts of a result's `content`, with line ends between them. Blocks of other kinds are left
/// out. Input: the array; may be absent.
std::string texts_of_content(JsonValue content);

}  // namespace bartizan
