// What is sent of the record, and to where.
#include "gateway/control/control.h"

namespace bartizan {

Result<void> Control::open_exports() {
  exports_.emplace(config_.audit.file);
  auto change = exports_->prepare(config_);
  if (!change.has_value()) return std::unexpected(change.error());
  exports_->apply(config_, *std::move(change));
  gateway_->exports = &*exports_;
  log_->ask_before_removing(
      [this](const ChainFile& file, SharedLog::Time now, SharedLog::Time::duration retention) {
        return exports_->waits_for(file, now, retention);
      });
  return {};
}

}  // namespace bartizan
