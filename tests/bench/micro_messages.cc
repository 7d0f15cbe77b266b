// Reading what arrives: the HTTP head, strict JSON, the message in it, and who sends it.
#include <benchmark/benchmark.h>

#include "audit/digest.h"
#include "gateway/http/http_head.h"
#include "gateway/identity/authenticate.h"
#include "gateway/runtime/loop.h"
#include "tests/bench/answers.h"
#include "tests/bench/micro_inputs.h"

namespace bartizan {
namespace {

void read_head(benchmark::State& state) {
  const std::string request = bench_request();
  const std::size_t size = find_head_end(request, 0, Fault::client).value();
  RequestHead head;
  while (state.KeepRunning()) {
    if (!head.read(std::string_view(request).substr(0, size)).has_value()) {
      return state.SkipWithError("the head was refused");
    }
  }
}

void read_message(benchmark::State& state, const std::string& text, const JsonLimits& limits) {
  const Bytes bytes(text);
  JsonDocument document;
  while (state.KeepRunning()) {
    const auto value = document.read(bytes, limits);
    if (!value.has_value() || !parse_message(*value).has_value()) {
      return state.SkipWithError("the message was refused");
    }
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
}

void read_call(benchmark::State& state) {
  read_message(state, bench_call(), {});
}

void read_answer(benchmark::State& state) {
  read_message(state, bench_answer(), kResponseLimits);
}

void read_large_answer(benchmark::State& state) {
  read_message(state, answer_to(R"({"id":1,"method":"tools/call","name":"read_book"})"),
               kResponseLimits);
}

/// A known key, among as many others as the argument says.
void authenticate(benchmark::State& state) {
  Config config = bench_config(10);
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    ApiKeyConfig other = config.auth.api_keys.front();
    const auto hex = hex_text(Digester().sha256("another key " + std::to_string(i)));
    other.sha256.assign(hex.data(), hex.size());
    config.auth.api_keys.push_back(other);
  }
  const auto policy = compile_policy(config, bench_names());
  LivingPrincipals living;
  const Authenticator authenticator(config.auth, policy, living);
  Loop loop(0);
  const std::string authorization = "Bearer " + std::string(kBenchKey);
  while (state.KeepRunning()) {
    auto proving = authenticator.prove(loop, {.authorization = authorization}, 1'795'262'400);
    if (!proving.is_ready() || !proving.value().has_value())
      state.SkipWithError("the key was refused");
  }
}

BENCHMARK(read_head)->Name("read_head_ns");
BENCHMARK(read_call)->Name("read_call_ns");
BENCHMARK(read_answer)->Name("read_answer_ns");
BENCHMARK(read_large_answer)->Name("read_answer_64k_ns");
BENCHMARK(authenticate)->Name("authenticate_ns")->Arg(0);
BENCHMARK(authenticate)->Name("authenticate_10k_keys_ns")->Arg(10'000);

}  // namespace
}  // namespace bartizan
