#pragma once

#include <memory>

#include "config/export_config.h"
#include "gateway/export/sink.h"
#include "gateway/launch/launcher.h"

namespace bartizan {

namespace limits {
/// Groups of alike events that are open; more are told together.
inline constexpr std::size_t alert_groups_max = 64;
}  // namespace limits

/// Where alerts of that configuration go: to a webhook, or to a program. The first of alike events
/// is sent at once, later ones together when `group` is over.
/// Errors: config_invalid, for a secret or authorities that cannot be read.
/// Lifetime: `launcher` outlives it.
Result<std::unique_ptr<Sink>> open_alert_sink(Loop& loop, const AlertConfig& config,
                                              const Launcher& launcher);

}  // namespace bartizan
