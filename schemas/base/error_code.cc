#include "schemas/base/error_code.h"

namespace bartizan {

std::string_view error_text(ErrorCode code) {
  switch (code) {
    case ErrorCode::json_syntax:
      return "json_syntax";
    case ErrorCode::json_encoding:
      return "json_encoding";
    case ErrorCode::json_trailing:
      return "json_trailing";
    case ErrorCode::json_duplicate_key:
      return "json_duplicate_key";
    case ErrorCode::json_depth:
      return "json_depth";
    case ErrorCode::json_size:
      return "json_size";
    case ErrorCode::json_number:
      return "json_number";
    case ErrorCode::invalid_request:
      return "invalid_request";
    case ErrorCode::ambiguous_member:
      return "ambiguous_member";
    case ErrorCode::method_not_found:
      return "method_not_found";
    case ErrorCode::invalid_params:
      return "invalid_params";
    case ErrorCode::header_mismatch:
      return "header_mismatch";
    case ErrorCode::unsupported_version:
      return "unsupported_version";
    case ErrorCode::missing_capability:
      return "missing_capability";
    case ErrorCode::http_syntax:
      return "http_syntax";
    case ErrorCode::http_framing:
      return "http_framing";
    case ErrorCode::http_limit:
      return "http_limit";
    case ErrorCode::http_version:
      return "http_version";
    case ErrorCode::io_failed:
      return "io_failed";
    case ErrorCode::closed:
      return "closed";
    case ErrorCode::timed_out:
      return "timed_out";
    case ErrorCode::cancelled:
      return "cancelled";
    case ErrorCode::overloaded:
      return "overloaded";
    case ErrorCode::not_found:
      return "not_found";
    case ErrorCode::server_failed:
      return "server_failed";
    case ErrorCode::server_unavailable:
      return "server_unavailable";
    case ErrorCode::not_recordable:
      return "not_recordable";
    case ErrorCode::credentials_bad:
      return "credentials_bad";
    case ErrorCode::config_invalid:
      return "config_invalid";
  }
  return "unknown";
}

RpcCode rpc_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::json_syntax:
    case ErrorCode::json_encoding:
    case ErrorCode::json_trailing:
    case ErrorCode::json_duplicate_key:
    case ErrorCode::json_depth:
    case ErrorCode::json_size:
    case ErrorCode::json_number:
      return RpcCode::parse_error;
    case ErrorCode::invalid_request:
    case ErrorCode::ambiguous_member:
      return RpcCode::invalid_request;
    case ErrorCode::method_not_found:
      return RpcCode::method_not_found;
    case ErrorCode::invalid_params:
      return RpcCode::invalid_params;
    case ErrorCode::header_mismatch:
      return RpcCode::header_mismatch;
    case ErrorCode::unsupported_version:
      return RpcCode::unsupported_version;
    case ErrorCode::missing_capability:
      return RpcCode::missing_capability;
    case ErrorCode::http_syntax:
    case ErrorCode::http_framing:
    case ErrorCode::http_limit:
    case ErrorCode::http_version:
    case ErrorCode::credentials_bad:
      return RpcCode::invalid_request;
    default:
      return RpcCode::internal_error;
  }
}

int http_status(ErrorCode code) {
  switch (code) {
    case ErrorCode::json_size:
      return 413;
    case ErrorCode::method_not_found:
    case ErrorCode::not_found:
      return 404;
    case ErrorCode::http_limit:
      return 431;
    case ErrorCode::http_version:
      return 505;
    case ErrorCode::credentials_bad:
      return 401;
    case ErrorCode::overloaded:
    case ErrorCode::not_recordable:
      return 503;
    case ErrorCode::io_failed:
    case ErrorCode::closed:
    case ErrorCode::server_failed:
    case ErrorCode::server_unavailable:
      return 502;
    case ErrorCode::timed_out:
      return 504;
    case ErrorCode::cancelled:
    case ErrorCode::config_invalid:
      return 500;
    default:
      return 400;
  }
}

}  // namespace bartizan
