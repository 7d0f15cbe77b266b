#include "gateway/record/capture_log.h"

#include <chrono>
#include <utility>

#include "gateway/record/capture_writer.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"

namespace bartizan {
namespace {

/// How long a process that ends waits for its captures; they are no record.
constexpr std::chrono::seconds kStopMax{5};

}  // namespace

CaptureLog::CaptureLog() : writer_(std::make_shared<CaptureWriter>()) {}

CaptureLog::~CaptureLog() {
  stop();
}

void CaptureLog::configure(const std::optional<CaptureConfig>& config,
                           std::unique_ptr<CaptureFile> file) {
  if (!config.has_value() && !thread_.joinable()) return;
  writer_->change(config, std::move(file));
  if (!thread_.joinable()) thread_ = start_thread([writer = writer_] { writer->run(); });
  is_on_ = config.has_value();
}

bool CaptureLog::holds(const std::string& path) const {
  return writer_->holds(path);
}

void CaptureLog::add(std::string line, std::shared_ptr<const ToolDefinition> tool) {
  writer_->add({std::move(line), std::move(tool)});
}

void CaptureLog::count_missing() {
  writer_->count_missing(1);
}

void CaptureLog::stop() {
  is_on_ = false;
  if (!thread_.joinable()) return;
  if (writer_->end(kStopMax)) return thread_.join();
  log(LogLevel::error, "capture left behind",
      {{"detail", "its disk does not answer"}, {"calls", "that were not written are missing"}});
  thread_.detach();
}

std::uint64_t CaptureLog::kept() const {
  return writer_->kept();
}

std::uint64_t CaptureLog::missing() const {
  return writer_->missing();
}

}  // namespace bartizan
