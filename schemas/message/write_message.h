#pragma once

#include <string>
#include <string_view>

#include "schemas/base/error_code.h"

namespace bartizan {

/// Encodes messages of the gateway. Every argument named `…_json` is one JSON text and is inserted
/// unchanged. All others are escaped. An empty `id_json` omits the id, as MCP requires for errors
/// to messages whose id could not be read.
/// Cost: one allocation.
std::string write_result(std::string_view id_json, std::string_view result_json);
std::string write_error(std::string_view id_json, int code, std::string_view message,
                        std::string_view data_json = {});
std::string write_request(std::string_view id_json, std::string_view method,
                          std::string_view params_json = {});
std::string write_notification(std::string_view method, std::string_view params_json = {});

}  // namespace bartizan
