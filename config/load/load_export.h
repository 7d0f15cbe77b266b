#pragma once

#include <optional>

#include "config/config.h"
#include "config/table_reader.h"

namespace bartizan {

/// `[export.NAME]`.
ExportConfigs load_exports(TableReader& root);

/// `[alert.NAME]`.
AlertConfigs load_alerts(TableReader& root);

/// `[audit.heads]`; nothing if the table is absent. Needs `exports`.
std::optional<SignedHeadConfig> load_signed_heads(TableReader& audit, const ExportConfigs& exports);

}  // namespace bartizan
