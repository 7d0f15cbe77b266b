#pragma once

#include <span>
#include <string_view>

#include "config/config.h"
#include "gateway/setup/wrap_config.h"

namespace bartizan {

/// The role of the local user, the only user of `bartizan wrap`.
inline constexpr std::string_view kWrapRole = "local-user";

/// Adds the local user's access to the wrapped server: rules, and with `--root` the profile that
/// confines path arguments to that folder.
///
/// Input:  `root`, the absolute and lexically normal folder of `--root`, or empty.
/// Errors: `config_invalid` with the wrong option.
Result<void> add_wrap_access(Config& config, const WrapOptions& options, std::string_view server,
                             std::string_view root);

/// The arguments that `--root` checks, as JSON pointers into `arguments`: `/path`, `/paths/*` and
/// so on. Lifetime: static.
std::span<const std::string_view> wrapped_path_arguments();

}  // namespace bartizan
