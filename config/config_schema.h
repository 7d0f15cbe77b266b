#pragma once

#include <string_view>

namespace bartizan {

/// The text of `config.schema.json`, which the build puts into the program, so that a check needs
/// no file beside it.
std::string_view config_schema_text();

}  // namespace bartizan
