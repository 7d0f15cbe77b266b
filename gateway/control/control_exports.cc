// What is sent of the record, and the heads that are signed.
#include "gateway/control/control.h"

namespace bartizan {

Result<void> Control::open_exports() {
  exports_ = std::make_unique<Exports>(config_.audit.file, launcher_);
  auto parts = prepare_exports(config_);
  if (!parts.has_value()) return std::unexpected(parts.error());
  apply_exports(*std::move(parts));
  gateway_->exports = exports_.get();
  log_->ask_before_removing(
      [this](const ChainFile& file, SharedLog::Time now, SharedLog::Time::duration retention) {
        return exports_->waits_for(file, now, retention);
      });
  return {};
}

Result<Control::ExportParts> Control::prepare_exports(const Config& config) const {
  auto change = exports_->prepare(config);
  if (!change.has_value()) return std::unexpected(change.error());
  ExportParts parts{.change = *std::move(change)};
  const std::optional<SignedHeadConfig>& heads = config.audit.heads;
  if (!heads.has_value()) return parts;
  const std::string instance = instance_of(config);
  parts.keeps_heads = heads_ != nullptr && heads_->signature() == signature_of(*heads, instance);
  if (parts.keeps_heads) return parts;
  auto opened = HeadKeeper::open(*heads, config.audit.file, instance);
  if (!opened.has_value()) return std::unexpected(opened.error());
  parts.heads = *std::move(opened);
  return parts;
}

void Control::apply_exports(ExportParts parts) {
  exports_->apply(std::move(parts.change));
  if (parts.keeps_heads) return;
  heads_ = std::move(parts.heads);
  // What another keeper counted is not this one's: without one there is none.
  gateway_->head_counts = std::make_shared<HeadCounts>();
  if (heads_ != nullptr) heads_->start(*log_, *exports_, launcher_, gateway_->head_counts);
}

/// Exports end last: the head that is signed at the end goes to them, too.
void Control::end_exports() {
  if (heads_ != nullptr) heads_->end();
  exports_->end(limits::export_end_patience);
}

}  // namespace bartizan
