#include "schemas/base/error_code.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

namespace bartizan {
namespace {

TEST(ErrorCode, HasANameForEveryValue) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(ErrorCode::config_invalid); ++i) {
    const std::string_view name = error_text(static_cast<ErrorCode>(i));
    EXPECT_NE(name, "unknown") << i;
    EXPECT_TRUE(names.insert(name).second) << name;
  }
}

TEST(ErrorCode, TellsTheClient) {
  const struct {
    ErrorCode code;
    RpcCode rpc;
    int status;
  } cases[] = {
      {ErrorCode::json_syntax, RpcCode::parse_error, 400},
      {ErrorCode::json_encoding, RpcCode::parse_error, 400},
      {ErrorCode::json_trailing, RpcCode::parse_error, 400},
      {ErrorCode::json_duplicate_key, RpcCode::parse_error, 400},
      {ErrorCode::json_depth, RpcCode::parse_error, 400},
      {ErrorCode::json_size, RpcCode::parse_error, 413},
      {ErrorCode::json_number, RpcCode::parse_error, 400},
      {ErrorCode::invalid_request, RpcCode::invalid_request, 400},
      {ErrorCode::ambiguous_member, RpcCode::invalid_request, 400},
      {ErrorCode::method_not_found, RpcCode::method_not_found, 404},
      {ErrorCode::invalid_params, RpcCode::invalid_params, 400},
      {ErrorCode::header_mismatch, RpcCode::header_mismatch, 400},
      {ErrorCode::unsupported_version, RpcCode::unsupported_version, 400},
      {ErrorCode::missing_capability, RpcCode::missing_capability, 400},
      {ErrorCode::http_framing, RpcCode::invalid_request, 400},
      {ErrorCode::http_limit, RpcCode::invalid_request, 431},
      {ErrorCode::http_version, RpcCode::invalid_request, 505},
      {ErrorCode::overloaded, RpcCode::internal_error, 503},
      {ErrorCode::not_recordable, RpcCode::internal_error, 503},
      {ErrorCode::not_found, RpcCode::internal_error, 404},
      {ErrorCode::server_failed, RpcCode::internal_error, 502},
      {ErrorCode::server_unavailable, RpcCode::internal_error, 502},
      {ErrorCode::timed_out, RpcCode::internal_error, 504},
      {ErrorCode::credentials_bad, RpcCode::invalid_request, 401},
      {ErrorCode::config_invalid, RpcCode::internal_error, 500},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(error_text(c.code));
    EXPECT_EQ(rpc_code(c.code), c.rpc);
    EXPECT_EQ(http_status(c.code), c.status);
  }
}

}  // namespace
}  // namespace bartizan
