#include "gateway/process/start_failure.h"

#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace bartizan {

std::unexpected<Error> start_failed(std::string detail) {
  return fail(ErrorCode::server_failed, Fault::server, std::move(detail));
}

std::string reason_of(int error) {
  return fmt::format("{} (errno {})", std::generic_category().message(error), error);
}

}  // namespace bartizan
