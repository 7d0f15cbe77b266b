#pragma once

#include <memory>

#include "config/export_config.h"
#include "gateway/export/sink.h"
#include "gateway/launch/launcher.h"

namespace bartizan {

namespace limits {
/// The most open groups of similar events; further events are grouped together.
inline constexpr std::size_t alert_groups_max = 64;
}  // namespace limits

/// Opens the sink of an alert: a webhook or a program. The first of similar events is sent at once.
/// Later ones are sent together when `group` is over.
/// Errors: config_invalid, for a secret or authorities that cannot be read.
/// Lifetime: `launcher` outlives it.
Result<std::unique_ptr<Sink>> open_alert_sink(Loop& loop, const AlertConfig& config,
                                              const Launcher& launcher);

}  // namespace bartizan
