#pragma once

#include <memory>
#include <string>

#include "config/audit_config.h"
#include "gateway/export/exports.h"
#include "gateway/launch/launcher.h"
#include "gateway/record/shared_log.h"
#include "gateway/runtime/signal.h"
#include "gateway/token/record_key.h"

namespace bartizan {

/// What `HeadKeeper::signature` is of that configuration.
std::string signature_of(const SignedHeadConfig& config, const std::string& instance);

/// Signs the head of the record now and then, once it is on the disk, and has it kept elsewhere: in
/// a file, by a program, in exports. Who has one can prove that nothing up to it was changed or cut
/// off, and when that was.
///
/// A head that cannot be kept is told in the log; the next one covers all that it covered.
/// Threads:  one at a time; works on one of its own.
class HeadKeeper {
 public:
  /// Nothing is signed before `start`. Errors: config_invalid, for a key that cannot be read.
  static Result<std::unique_ptr<HeadKeeper>> open(const SignedHeadConfig& config,
                                                  const std::string& record,
                                                  const std::string& instance);
  HeadKeeper(const HeadKeeper&) = delete;
  HeadKeeper& operator=(const HeadKeeper&) = delete;
  /// Ends without another head.
  ~HeadKeeper();

  /// Lifetime: the log, the exports and the launcher outlive this.
  void start(SharedLog& log, Exports& exports, const Launcher& launcher);
  /// Keeps a last head, and ends.
  void end();

  /// Differs where anything of the configuration does, or the key.
  const std::string& signature() const { return signature_; }

 private:
  HeadKeeper(SignedHeadConfig config, std::string record, std::string instance, RecordKey key);
  void stop(bool keeps_last);
  Task<void> run();
  Task<void> keep();
  Task<Result<AuditHead>> durable_head();
  Result<void> append_to_file(const std::string& jws) const;
  void tell(const Result<void>& kept, std::string_view where);

  const SignedHeadConfig config_;
  const std::string record_;
  RecordOrigin origin_;
  const RecordKey key_;
  const std::string signature_;
  SharedLog* log_ = nullptr;  ///< From `start` on, as the two below.
  Exports* exports_ = nullptr;
  const Launcher* launcher_ = nullptr;
  bool is_ending_ = false;
  bool keeps_last_ = false;
  std::string told_;  ///< What fails, as it was logged last.
  Loop loop_{0xfffd};
  Signal wake_{loop_};
  std::thread thread_;
};

}  // namespace bartizan
