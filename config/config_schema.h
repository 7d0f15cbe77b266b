#pragma once

#include <string_view>

namespace bartizan {

/// The text of `config.schema.json`. The build embeds it, so that a check needs no other file.
std::string_view config_schema_text();

}  // namespace bartizan
