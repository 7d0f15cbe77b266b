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

/// What an issuer answered about a token: nothing of it is judged but whether it is active.
struct IntrospectionAnswer {
  bool is_active = false;
  Bytes json;  ///< The whole answer, strict JSON; empty where it is not active.
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

  /// What the issuer says about a token.
  ///
  /// Input:   a token without control characters; `now` in seconds since 1970.
  /// Errors:  overloaded where `kAskedMax` are asked; config_invalid where the gateway's secret or
  /// key
  ///          cannot be read; server_failed for an answer that is none, and where the issuer does
  ///          not know the gateway; those of the connection. No error has any part of a token.
  /// Threads: those of the loop, whose caller waits.
  Task<Result<IntrospectionAnswer>> ask(Loop& loop, std::string token, std::int64_t now);

 private:
  Task<Result<std::string>> find_url(Loop& loop);
  static Task<Result<IntrospectionAnswer>> ask_issuer(std::shared_ptr<Introspection> self,
                                                      Loop& loop, std::string token,
                                                      std::int64_t now);

  const IssuerConfig issuer_;
  std::atomic<int> asked_ = 0;
  std::mutex mutex_;
  std::string url_;  ///< As the metadata had it; empty until it was read.
};

}  // namespace bartizan
