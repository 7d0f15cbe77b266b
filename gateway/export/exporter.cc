#include "gateway/export/exporter.h"

#include <algorithm>
#include <utility>

#include "audit/chain_files.h"
#include "audit/decode_record.h"
#include "audit/find_hash.h"
#include "audit/record_class.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "gateway/runtime/thread_priority.h"
#include "schemas/base/sha256.h"

namespace bartizan {
namespace {

constexpr std::chrono::seconds kKeepPositionEvery{1};
/// The most attempts for a refused record while no other record shows that the sink takes any: some
/// eight minutes.
constexpr int kLoneTries = 20;
/// The extra wait for a thread that only needs to return to its loop.
constexpr std::chrono::milliseconds kEndGrace{300};

/// The value of `"time":"…"` as in the line.
std::string_view time_in(std::string_view body) {
  constexpr std::string_view kMember = R"("time":")";
  constexpr std::size_t kSize = 27;
  const std::size_t at = body.find(kMember);
  return at == body.npos ? std::string_view() : body.substr(at + kMember.size(), kSize);
}

bool passes(const ExportConfig& config, const Record& record) {
  switch (class_of(record)) {
    case RecordClass::tool_invocation:
      return config.log_tool_invocations;
    case RecordClass::performance_event:
      return config.log_performance_events;
    case RecordClass::protocol_error:
      return config.log_protocol_errors;
    case RecordClass::security_event:
    case RecordClass::life_cycle:
      return true;
  }
  return true;
}

/// The decoded records of a batch. Lifetime: views the batch.
struct DecodedRecords {
  std::deque<RecordReader> readers;
  std::deque<std::string> hashes;
  std::vector<ExportedRecord> records;
};

}  // namespace

ExporterOptions options_of(const ExportConfig& config) {
  return {.name = config.name,
          .passes = [config](const Record& record) { return passes(config, record); },
          .hold = config.hold};
}

Result<std::shared_ptr<Exporter>> Exporter::open(ExporterOptions options, const std::string& record,
                                                 const std::string& instance,
                                                 const MakeSink& make_sink) {
  std::shared_ptr<Exporter> exporter(new Exporter(std::move(options), record, instance));
  auto kept = read_position(exporter->position_file());
  if (!kept.has_value()) return std::unexpected(kept.error());
  auto sink = make_sink(exporter->loop_);
  if (!sink.has_value()) {
    const ExporterOptions& its = exporter->options_;
    return fail(ErrorCode::config_invalid, Fault::gateway,
                '[' + its.kind + '.' + its.name + "]: " + sink.error().detail);
  }
  exporter->sink_ = *std::move(sink);
  if (kept->has_value()) exporter->counts_.position = (*kept)->head.sequence;
  return exporter;
}

Exporter::Exporter(ExporterOptions options, std::string record, std::string instance)
    : options_(std::move(options)), record_(std::move(record)) {
  origin_.instance = std::move(instance);
}

std::string Exporter::position_file() const {
  return position_path(record_, options_.kind + '-' + options_.name);
}

void Exporter::start() {
  {
    const std::lock_guard lock(mutex_);
    has_started_ = true;
  }
  start_thread([self = shared_from_this()] {
    lower_thread_priority();
    spawn(self->loop_, self->run());
    self->loop_.run();
    const std::lock_guard lock(self->mutex_);
    self->has_ended_ = true;
    self->ended_.notify_all();
  }).detach();
}

void Exporter::end(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  if (!has_started_ || has_ended_) return;
  loop_.post_answer([this, patience] {
    is_ending_ = true;
    end_by_ = steady_now() + patience;
    wake_.notify();
  });
  ended_.wait_for(lock, patience + kEndGrace, [this] { return has_ended_; });
  is_abandoned_ = true;
}

void Exporter::announce_head(std::string jws) {
  {
    const std::lock_guard lock(mutex_);
    if (heads_.size() >= limits::export_heads_max) heads_.pop_front();
    heads_.push_back(std::move(jws));
  }
}

std::string Exporter::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

// --- The thread ---------------------------------------------------------------------------------

bool Exporter::is_over() const {
  return is_ending_ && steady_now() >= end_by_;
}

/// False if the thread must end.
Task<bool> Exporter::pause(std::chrono::milliseconds time) {
  if (is_over()) co_return false;
  if (is_ending_) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_by_ - steady_now());
    time = std::clamp(left, std::chrono::milliseconds(1), time);
  }
  co_await wake_.wait(time);
  co_return !is_over();
}

/// Each failure doubles the next pause. False if the thread must end.
Task<bool> Exporter::fail_and_pause(const std::string& why) {
  ++counts_.failures;
  tell_failure(why);
  const auto wait = std::exchange(next_pause_, std::min(2 * next_pause_, limits::export_pause_max));
  return pause(wait);
}

Task<void> Exporter::run() {
  if (co_await find_origin()) {
    ChainFollower follower(record_, done_);
    while (true) {
      const Result<FollowedBatch> batch = follower.next(limits::export_batch_bytes);
      if (!batch.has_value()) {
        tell_failure(batch.error().detail);
        if (!co_await pause(limits::export_pause_min)) break;
        continue;
      }
      if (!batch->problem.empty()) tell_break(batch->problem);
      if (!batch->records.empty()) {
        if (is_over() || !co_await deliver(*batch)) break;
        acknowledge(batch->last());
        // Under load no batch is ever empty.
        if (!co_await deliver_heads()) break;
        continue;
      }
      if (!co_await deliver_heads() || !co_await flush()) break;
      keep_position();
      if (is_ending_) break;
      co_await pause(limits::export_look);
    }
    keep_position();
  }
  sink_ = nullptr;
  loop_.stop();
}

/// Finds the chain's name, and the position from which the sink continues.
Task<bool> Exporter::find_origin() {
  Result<std::string> chain = find_chain_name(record_);
  while (!chain.has_value()) {
    // The first record may not exist yet.
    if (!co_await pause(limits::export_look)) co_return false;
    chain = find_chain_name(record_);
  }
  origin_.chain = *std::move(chain);
  // Read here: a replaced exporter may have stored it a moment ago.
  const auto kept = read_position(position_file());
  if (!kept.has_value()) {
    tell_failure(kept.error().detail);
    co_return false;
  }
  const bool is_other = kept->has_value() && (*kept)->chain != origin_.chain;
  if (is_other) {
    log(LogLevel::warning, options_.kind + " begins anew",
        {{options_.kind, options_.name},
         {"detail", "the record is another chain than the one sent"}});
  }
  if (kept->has_value() && !is_other) done_ = (*kept)->head;
  if (!kept->has_value() && options_.begins_at_end) {
    const auto files = find_chain(record_);
    if (files.has_value() && !files->empty()) done_ = files->back().last;
    is_position_kept_ = false;
    keep_position();
  }
  counts_.position = done_.sequence;
  // If a sink's acknowledgement proves nothing, the last part is sent again.
  const std::uint64_t again = std::min<std::uint64_t>(sink_->tail(), done_.sequence);
  if (again > 0) {
    const std::uint64_t from = done_.sequence - again;
    const Result<Hash> hash = from == 0 ? Result<Hash>(Hash{}) : find_hash(record_, from);
    if (hash.has_value()) done_ = {.sequence = from, .hash = *hash};
  }
  co_return true;
}

Task<bool> Exporter::deliver(const FollowedBatch& batch) {
  DecodedRecords decoded;
  for (const FollowedRecord& followed : batch.records) {
    const Result<const Record*> record = decoded.readers.emplace_back().read(followed.body);
    if (!record.has_value()) {
      ++counts_.refused;
      tell_break("record " + std::to_string(followed.sequence) +
                 " cannot be read: " + record.error().detail);
      continue;
    }
    if (!options_.passes(**record)) {
      ++counts_.filtered;
      decoded.readers.pop_back();
      continue;
    }
    decoded.hashes.push_back(hex_of(followed.hash));
    decoded.records.push_back({.line = followed.line,
                               .body = followed.body,
                               .sequence = followed.sequence,
                               .hash = decoded.hashes.back(),
                               .time = time_in(followed.body),
                               .record = *record});
  }
  std::span<const ExportedRecord> rest = decoded.records;
  while (!rest.empty()) {
    const auto part = rest.first(std::min(rest.size(), limits::export_batch_records));
    taken_in_part_ = 0;
    if (is_over() || !co_await deliver_part(part)) co_return false;
    rest = rest.subspan(part.size());
  }
  co_return true;
}

/// Sends until the sink has the records, or will never take them. Refused records are found by
/// bisection, so that one record delays no other.
Task<bool> Exporter::deliver_part(std::span<const ExportedRecord> records) {
  for (int tries = 1;; ++tries) {
    const Delivery delivery = co_await sink_->send(origin_, records);
    if (!delivery.conflict.empty()) tell_conflict(delivery.conflict);
    if (delivery.kind == Delivery::Kind::taken) {
      counts_.sent += records.size() - std::min<std::size_t>(records.size(), delivery.refused);
      if (delivery.refused > 0) tell_refused(records.front().sequence, delivery);
      ++taken_in_part_;
      tell_success();
      co_return true;
    }
    if (delivery.kind == Delivery::Kind::refused && records.size() > 1) {
      const std::size_t half = records.size() / 2;
      if (!co_await deliver_part(records.first(half))) co_return false;
      co_return co_await deliver_part(records.subspan(half));
    }
    // If nothing at all is taken, the fault is the sink's rather than the records': a closed index,
    // or a key for another one.
    const bool is_records_fault = taken_in_part_ > 0 || tries >= kLoneTries;
    if (delivery.kind == Delivery::Kind::refused && is_records_fault) {
      tell_refused(records.front().sequence, {.why = delivery.why, .refused = 1});
      co_return true;
    }
    if (!co_await fail_and_pause(delivery.why)) co_return false;
  }
}

Task<bool> Exporter::deliver_heads() {
  while (true) {
    std::string jws;
    {
      const std::lock_guard lock(mutex_);
      if (heads_.empty()) co_return true;
      jws = heads_.front();
    }
    const Delivery delivery = co_await sink_->send_head(origin_, jws);
    if (delivery.kind == Delivery::Kind::taken) {
      const std::lock_guard lock(mutex_);
      if (!heads_.empty() && heads_.front() == jws) heads_.pop_front();
      continue;
    }
    // Records are more important than a head, so they continue.
    co_return co_await fail_and_pause("signed head: " + delivery.why);
  }
}

/// Flushes held records. New records are more important, so they continue.
Task<bool> Exporter::flush() {
  const Delivery delivery = co_await sink_->flush(is_ending_);
  if (delivery.refused > 0) tell_refused(done_.sequence, delivery);
  if (delivery.kind != Delivery::Kind::failed) co_return true;
  co_return co_await fail_and_pause(delivery.why);
}

void Exporter::acknowledge(const AuditHead& head) {
  done_ = head;
  counts_.position = head.sequence;
  is_position_kept_ = false;
  if (steady_now() - position_kept_at_ >= kKeepPositionEvery) keep_position();
}

void Exporter::keep_position() {
  if (is_position_kept_ || sink_->holds_back()) return;
  position_kept_at_ = steady_now();
  std::unique_lock lock(mutex_);
  if (is_abandoned_) return;
  const Result<void> kept =
      write_position(position_file(), {.chain = origin_.chain, .head = done_});
  lock.unlock();
  is_position_kept_ = kept.has_value();
  if (!kept.has_value()) tell_failure(kept.error().detail);
}

void Exporter::tell_failure(const std::string& why) {
  const bool is_news = !counts_.is_failing.exchange(true);
  {
    const std::lock_guard lock(mutex_);
    if (!is_news && failure_ == why) return;
    failure_ = why;
  }
  log(LogLevel::warning, options_.kind + " failing",
      {{options_.kind, options_.name},
       {"record", done_.sequence + 1},
       {"detail", why + "; it is tried again, and nothing is lost meanwhile"}});
}

void Exporter::tell_refused(std::uint64_t first, const Delivery& delivery) {
  counts_.refused += delivery.refused;
  log(LogLevel::error, options_.kind + " refused",
      {{options_.kind, options_.name},
       {"record", first},
       {"count", delivery.refused},
       {"detail", delivery.why + "; what was refused stays in the file, and is not sent again"}});
}

void Exporter::tell_success() {
  next_pause_ = limits::export_pause_min;
  if (!counts_.is_failing.exchange(false)) return;
  {
    const std::lock_guard lock(mutex_);
    failure_.clear();
  }
  log(LogLevel::info, options_.kind + " recovered", {{options_.kind, options_.name}});
}

void Exporter::tell_break(const std::string& problem) {
  ++counts_.breaks;
  log(LogLevel::error, "record broken",
      {{options_.kind, options_.name}, {"detail", problem + "; run bartizan audit verify"}});
}

void Exporter::tell_conflict(const std::string& conflict) {
  ++counts_.conflicts;
  log(LogLevel::error, options_.kind + " conflict",
      {{options_.kind, options_.name},
       {"detail", conflict + ": one of the two was changed, or two gateways have one instance and "
                             "chain"}});
}

}  // namespace bartizan
