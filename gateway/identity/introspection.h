#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "config/issuer_config.h"
#include "gateway/runtime/loop.h"
#include "gateway/runtime/task.h"
#include "schemas/base/bytes.h"
#include "schemas/base/result.h"

namespace bartizan {

/// An issuer's answer about a token. Only `active` was checked.
struct IntrospectionAnswer {
  bool is_active = false;
  Bytes json;  ///< The whole answer, strict JSON; empty if not active.
};

/// Asks one issuer about tokens that only it can read.
///
/// Threads: any.
/// Bounded: by `kAskedMax` questions at a time, each with a deadline of seconds.
/// Source:  RFC 7662 §2.
class Introspection : public std::enable_shared_from_this<Introspection> {
 public:
  static constexpr int kAskedMax = 64;

  /// Input: an issuer with `introspection`.
  explicit Introspection(IssuerConfig issuer) : issuer_(std::move(issuer)) {}

  /// Asks the issuer about a token.
  ///
  /// Input:   a token without control characters; `now` in seconds since 1970.
  /// Errors:  overloaded during `kAskedMax` other questions; config_invalid if the gateway's secret
  ///          or key cannot be read; server_failed for an invalid answer, and if the issuer rejects
  ///          the gateway's credentials; those of the connection. No error has any part of a token.
  /// Threads: those of the loop, which must be the caller's.
  Task<Result<IntrospectionAnswer>> ask(Loop& loop, std::string token, std::int64_t now);

 private:
  Task<Result<std::string>> find_url(Loop& loop);
  static Task<Result<IntrospectionAnswer>> ask_issuer(std::shared_ptr<Introspection> self,
                                                      Loop& loop, std::string token,
                                                      std::int64_t now);

  const IssuerConfig issuer_;
  std::atomic<int> asked_ = 0;
  std::mutex mutex_;
  std::string url_;  ///< From the metadata; empty until it was read.
};

}  // namespace bartizan
