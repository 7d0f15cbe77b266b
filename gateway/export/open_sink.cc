#include "gateway/export/sink.h"

namespace bartizan {

Task<Delivery> Sink::flush(bool) {
  co_return Delivery{};
}

Result<std::unique_ptr<Sink>> open_sink(Loop& loop, const ExportConfig& config) {
  switch (config.type) {
    case ExportConfig::Type::syslog:
      return open_syslog_sink(loop, config);
    case ExportConfig::Type::postgresql:
      return open_postgresql_sink(loop, config);
    default:
      return open_http_sink(loop, config);
  }
}

}  // namespace bartizan
