#include "gateway/export/head_keeper.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "audit/digest.h"
#include "audit/follow_chain.h"
#include "config/load/load_config.h"
#include "gateway/export/run_program.h"
#include "gateway/export/signed_head.h"
#include "gateway/process/descriptor.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "schemas/base/sha256.h"

namespace bartizan {
namespace {

/// How long a disk may take to have the record.
constexpr std::chrono::seconds kSyncDeadline{30};

}  // namespace

std::string signature_of(const SignedHeadConfig& config, const std::string& instance) {
  const Result<SecretText> pem = read_secret(config.key);
  Digester digester;
  std::string all = instance + '\n' + std::to_string(config.every.count()) + '\n' + config.file;
  for (const std::string& word : config.command)
    all += "\ncommand " + word;
  for (const std::string& name : config.exports)
    all += "\nexport " + name;
  return all + '\n' + hex_of(digester.sha256(pem.has_value() ? pem->view() : ""));
}

Result<std::unique_ptr<HeadKeeper>> HeadKeeper::open(const SignedHeadConfig& config,
                                                     const std::string& record,
                                                     const std::string& instance) {
  const Result<SecretText> pem = read_secret(config.key);
  if (!pem.has_value()) {
    return fail(ErrorCode::config_invalid, Fault::gateway,
                "[audit.heads] key: " + pem.error().detail);
  }
  Result<RecordKey> key = RecordKey::read(pem->view());
  if (!key.has_value()) {
    return fail(ErrorCode::config_invalid, Fault::gateway,
                "[audit.heads] key: " + key.error().detail);
  }
  return std::unique_ptr<HeadKeeper>(new HeadKeeper(config, record, instance, *std::move(key)));
}

HeadKeeper::HeadKeeper(SignedHeadConfig config, std::string record, std::string instance,
                       RecordKey key)
    : config_(std::move(config)),
      record_(std::move(record)),
      key_(std::move(key)),
      signature_(signature_of(config_, instance)) {
  origin_.instance = std::move(instance);
}

HeadKeeper::~HeadKeeper() {
  stop(false);
}

void HeadKeeper::start(SharedLog& log, Exports& exports, const Launcher& launcher) {
  log_ = &log;
  exports_ = &exports;
  launcher_ = &launcher;
  thread_ = start_thread([this] {
    spawn(loop_, run());
    loop_.run();
  });
}

void HeadKeeper::end() {
  stop(true);
}

void HeadKeeper::stop(bool keeps_last) {
  if (!thread_.joinable()) return;
  loop_.post_answer([this, keeps_last] {
    is_ending_ = true;
    keeps_last_ = keeps_last;
    wake_.notify();
  });
  thread_.join();
}

Task<void> HeadKeeper::run() {
  while (!is_ending_) {
    co_await wake_.wait(config_.every);
    const bool was_ending = is_ending_;
    if (!is_ending_ || keeps_last_) co_await keep();
    // The end may have come while a head was kept; records came after it.
    if (!was_ending && is_ending_ && keeps_last_) co_await keep();
  }
  loop_.stop();
}

/// The head of what the disk has. The log answers on its own thread.
Task<Result<AuditHead>> HeadKeeper::durable_head() {
  // Shared: an answer that comes too late finds nobody.
  struct Answer {
    explicit Answer(Loop& loop) : loop(loop), came(loop) {}
    Loop& loop;
    Signal came;
    std::optional<Result<AuditHead>> head;
  };
  const auto answer = std::make_shared<Answer>(loop_);
  log_->sync_head(SharedLog::HeadFor::signing, [answer](const Result<AuditHead>& head) {
    answer->loop.post_answer([answer, head] {
      answer->head = head;
      answer->came.notify();
    });
  });
  co_await answer->came.wait(kSyncDeadline);
  if (answer->head.has_value()) co_return *answer->head;
  co_return fail(ErrorCode::timed_out, Fault::gateway, "the disk does not take the record");
}

Task<void> HeadKeeper::keep() {
  const Result<AuditHead> head = co_await durable_head();
  if (!head.has_value()) co_return tell(std::unexpected(head.error()), "the record");
  if (origin_.chain.empty()) {
    Result<std::string> chain = find_chain_name(record_);
    if (!chain.has_value()) co_return tell(std::unexpected(chain.error()), "the record");
    origin_.chain = *std::move(chain);
  }
  const Result<std::string> jws =
      key_.sign(kSignedHeadType, head_claims(origin_, *head, seconds_now()));
  if (!jws.has_value()) co_return tell(std::unexpected(jws.error()), "the key");
  Result<void> kept;
  std::string where;
  if (!config_.file.empty()) {
    kept = append_to_file(*jws);
    where = config_.file;
  }
  if (!config_.command.empty()) {
    const Result<void> run = co_await run_program(loop_, *launcher_, config_.command, *jws + '\n');
    if (kept.has_value()) where = config_.command.front();
    if (kept.has_value()) kept = run;
  }
  exports_->announce_head(config_.exports, *jws);
  tell(kept, where);
}

/// The file may be on another disk, or one that lets nobody change what is there.
Result<void> HeadKeeper::append_to_file(const std::string& jws) const {
  const auto failed = [this] {
    return fail(ErrorCode::io_failed, Fault::gateway,
                config_.file + ": " + std::generic_category().message(errno));
  };
  const Descriptor file(::open(config_.file.c_str(),
                               O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                               0640));
  if (file.get() < 0) return failed();
  // A crash may have torn the line before: what follows it begins on a line of its own.
  const std::string line = '\n' + jws + '\n';
  const ssize_t written = ::write(file.get(), line.data(), line.size());
  if (written < 0) return failed();
  if (static_cast<std::size_t>(written) < line.size()) errno = ENOSPC;
  if (static_cast<std::size_t>(written) < line.size() || ::fsync(file.get()) != 0) return failed();
  return {};
}

void HeadKeeper::tell(const Result<void>& kept, std::string_view where) {
  const std::string why = kept.has_value() ? "" : kept.error().detail;
  if (why == told_) return;
  told_ = why;
  log(why.empty() ? LogLevel::info : LogLevel::warning,
      why.empty() ? "signed head kept again" : "signed head not kept",
      {{"where", std::string(where)}, {"detail", why.empty() ? "the head of now" : why}});
}

}  // namespace bartizan
