#pragma once

#include <span>
#include <string_view>

#include "config/config.h"
#include "gateway/setup/wrap_config.h"

namespace bartizan {

/// The role of the local user, who is everybody whom `bartizan wrap` serves.
inline constexpr std::string_view kWrapRole = "local-user";

/// Writes into a configuration what the local user may use of the wrapped server: its rules, and
/// with `--root` the profile that keeps path arguments below that folder.
///
/// Input:  `root`, the absolute and lexically normal folder of `--root`, or empty; `base`, the
///         absolute folder in which relative paths of arguments start.
/// Errors: config_invalid with the option that is wrong.
Result<void> add_wrap_access(Config& config, const WrapOptions& options, std::string_view server,
                             std::string_view root, std::string_view base);

/// The names of arguments whose values `--root` checks: `/path`, `/paths/*` and so on, as JSON
/// pointers into `arguments`. Lifetime: static.
std::span<const std::string_view> wrapped_path_arguments();

}  // namespace bartizan
