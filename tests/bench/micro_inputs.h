// What the microbenchmarks are fed with: one realistic call of about 350 bytes, its answer of 400,
// and a policy with as many rules as wanted.
#pragma once

#include <string>
#include <string_view>

#include "config/config.h"
#include "policy/check/compile_policy.h"
#include "policy/verdict/call.h"

namespace bartizan {

/// The key that the one principal proves itself with.
inline constexpr std::string_view kBenchKey = "the-key-of-the-benchmark";

std::string bench_call();
/// The call of `bench_call` as a whole HTTP request.
std::string bench_request();
std::string bench_answer();

/// Words of letters, as long as those of languages are: what most of a result is made of. The same
/// each time.
std::string bench_words(std::size_t size);

/// A principal with a role, a tool with a permission and a path predicate, and so many rules: the
/// two that concern the call, and others of the same role and server. `Names::exact` names a tool
/// in each of them, `Names::globs` a pattern.
enum class Names : std::uint8_t { exact, globs };
Config bench_config(std::size_t rules, Names names = Names::exact);
KnownNames bench_names();

/// A call as the gateway judges it, and what its views point into.
class BenchCall {
 public:
  /// Lifetime: `policy` outlives this.
  explicit BenchCall(const Policy& policy);
  BenchCall(const BenchCall&) = delete;
  BenchCall& operator=(const BenchCall&) = delete;

  Call call;

 private:
  Bytes bytes_;
  JsonDocument document_;
};

}  // namespace bartizan
