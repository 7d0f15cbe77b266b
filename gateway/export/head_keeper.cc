#include "gateway/export/head_keeper.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "audit/follow_chain.h"
#include "config/load/load_config.h"
#include "gateway/export/config_signature.h"
#include "gateway/export/run_program.h"
#include "gateway/export/signed_head.h"
#include "gateway/process/descriptor.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"

namespace bartizan {
std::string signature_of(const SignedHeadConfig& config, const std::string& instance) {
  std::string all =
      joined({instance, std::to_string(config.every.count()), config.file, digest_of(config.key)});
  for (const std::string& word : config.command)
    all += joined({"command", word});
  for (const std::string& name : config.exports)
    all += joined({"export", name});
  return all;
}

Result<void> append_head(const std::string& path, const std::string& jws) {
  const auto failed = [&path] {
    return fail(ErrorCode::io_failed, Fault::gateway,
                path + ": " + std::generic_category().message(errno));
  };
  const Descriptor file(::open(
      path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0640));
  if (file.get() < 0) return failed();
  // A crash may have torn the previous line, so this one starts with a line end.
  const std::string line = '\n' + jws + '\n';
  const ssize_t written = ::write(file.get(), line.data(), line.size());
  if (written < 0) return failed();
  if (static_cast<std::size_t>(written) < line.size()) errno = ENOSPC;
  if (static_cast<std::size_t>(written) < line.size() || ::fsync(file.get()) != 0) return failed();
  return {};
}

Result<std::unique_ptr<HeadKeeper>> HeadKeeper::open(const SignedHeadConfig& config,
                                                     const std::string& record,
                                                     const std::string& instance, Append append) {
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
  return std::unique_ptr<HeadKeeper>(
      new HeadKeeper(config, record, instance, *std::move(key), std::move(append)));
}

HeadKeeper::HeadKeeper(SignedHeadConfig config, std::string record, std::string instance,
                       RecordKey key, Append append)
    : config_(std::move(config)),
      record_(std::move(record)),
      key_(std::move(key)),
      append_(std::move(append)),
      signature_(signature_of(config_, instance)) {
  origin_.instance = std::move(instance);
  way_back_->keeper = this;
}

HeadKeeper::~HeadKeeper() {
  stop(false);
  const std::lock_guard lock(way_back_->mutex);
  way_back_->keeper = nullptr;
}

void HeadKeeper::start(SharedLog& log, Exports& exports, const Launcher& launcher,
                       std::shared_ptr<HeadCounts> counts) {
  log_ = &log;
  exports_ = &exports;
  launcher_ = &launcher;
  counts_ = std::move(counts);
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
    end_by_ = steady_now() + limits::head_end_patience;
    wake_.notify();
    answered_.notify();
  });
  thread_.join();
}

Task<void> HeadKeeper::run() {
  while (!is_ending_) {
    co_await wake_.wait(config_.every);
    const bool was_ending = is_ending_;
    if (!is_ending_ || keeps_last_) co_await keep();
    // The end may have come while a head was stored, with further records after it.
    if (!was_ending && is_ending_ && keeps_last_) co_await keep();
  }
  loop_.stop();
}

/// The response of another thread; nothing after a timeout. `begin` gets a function for the
/// response. It may be called on any thread, once or never, even after this ends.
template <class Answer, class Begin>
Task<std::optional<Answer>> HeadKeeper::ask(Begin begin) {
  const std::uint64_t question = ++questions_;
  const auto said = std::make_shared<std::optional<Answer>>();
  begin([way = way_back_, question, said](const Answer& answer) {
    const std::lock_guard lock(way->mutex);
    if (way->keeper == nullptr) return;
    way->keeper->loop_.post_answer([keeper = way->keeper, question, said, answer] {
      said->emplace(answer);
      if (keeper->questions_ == question) keeper->answered_.notify();
    });
  });
  const auto deadline = steady_now() + limits::head_disk_deadline;
  while (!said->has_value()) {
    const auto end = is_ending_ ? std::min(deadline, end_by_) : deadline;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - steady_now());
    if (left.count() <= 0) co_return std::nullopt;
    co_await answered_.wait(left);
  }
  co_return *std::move(*said);
}

/// The head of the records on the disk.
Task<Result<AuditHead>> HeadKeeper::durable_head() {
  auto head = co_await ask<Result<AuditHead>>(
      [this](auto answer) { log_->sync_head(SharedLog::HeadFor::signing, std::move(answer)); });
  if (head.has_value()) co_return *std::move(head);
  co_return fail(ErrorCode::timed_out, Fault::gateway, "the disk does not take the record");
}

/// Appends on a thread of its own. A thread that hangs is abandoned, and no second one is started.
Task<Result<void>> HeadKeeper::append_to_file(const std::string& jws) {
  const auto hangs = [this] {
    return fail(ErrorCode::timed_out, Fault::gateway,
                config_.file + ": the disk does not take the head");
  };
  if (is_appending_->exchange(true)) co_return hangs();
  const auto kept = co_await ask<Result<void>>([this, &jws](auto answer) {
    try {
      start_thread([append = append_, path = config_.file, jws, is_appending = is_appending_,
                    answer] {
        const Result<void> done = append(path, jws);
        is_appending->store(false);
        answer(done);
      }).detach();
    } catch (const std::system_error& error) {
      is_appending_->store(false);
      answer(fail(ErrorCode::io_failed, Fault::gateway,
                  std::string("no thread to write the head: ") + error.what()));
    }
  });
  if (kept.has_value()) co_return *kept;
  co_return hangs();
}

Task<void> HeadKeeper::keep() {
  const Result<AuditHead> head = co_await durable_head();
  if (!head.has_value()) co_return fail_to_keep(head.error(), "the record");
  if (origin_.chain.empty()) {
    Result<std::string> chain = find_chain_name(record_);
    if (!chain.has_value()) co_return fail_to_keep(chain.error(), "the record");
    origin_.chain = *std::move(chain);
  }
  const std::int64_t signed_at = seconds_now();
  const Result<std::string> jws =
      key_.sign(kSignedHeadType, head_claims(origin_, *head, signed_at));
  if (!jws.has_value()) co_return fail_to_keep(jws.error(), "the key");
  Result<void> kept;
  std::string where;
  if (!config_.file.empty()) {
    kept = co_await append_to_file(*jws);
    where = config_.file;
  }
  if (!config_.command.empty()) {
    const Result<void> run = co_await run_program(loop_, *launcher_, config_.command, *jws + '\n');
    if (kept.has_value()) where = config_.command.front();
    if (kept.has_value()) kept = run;
  }
  exports_->announce_head(config_.exports, *jws);
  if (!kept.has_value()) co_return fail_to_keep(kept.error(), where);
  counts_->sequence = head->sequence;
  counts_->signed_at = signed_at;
  ++counts_->kept;
  tell("", where);
}

void HeadKeeper::fail_to_keep(const Error& error, std::string_view where) {
  ++counts_->failed;
  tell(error.detail, where);
}

/// Logs a change. Input: `why` it is not stored; empty if it is.
void HeadKeeper::tell(const std::string& why, std::string_view where) {
  if (why == told_) return;
  told_ = why;
  log(why.empty() ? LogLevel::info : LogLevel::warning,
      why.empty() ? "signed head kept again" : "signed head not kept",
      {{"where", std::string(where)}, {"detail", why.empty() ? "the head of now" : why}});
}

}  // namespace bartizan
