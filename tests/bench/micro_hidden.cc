// Searching texts for what nobody sees: clean ones, of ASCII and of other scripts.
#include <benchmark/benchmark.h>

#include <string>
#include <string_view>

#include "policy/text/hidden_text.h"

namespace bartizan {
namespace {

constexpr std::size_t kBytes = std::size_t{64} << 10;

void find(benchmark::State& state, std::string_view piece) {
  std::string text;
  while (text.size() < kBytes)
    text += piece;
  while (state.KeepRunning()) {
    if (!find_hidden(text).empty()) return state.SkipWithError("found something");
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void find_in_ascii(benchmark::State& state) {
  find(state, "{\"id\":\"7-4a\",\"at\":\"2026-01-02T03:04:05Z\",\"name\":\"somebody\"},\r\n");
}

void find_in_cyrillic(benchmark::State& state) {
  find(state, "\u0441\u043B\u043E\u0432\u043E \u0437\u0430 \u0441\u043B\u043E\u0432\u043E\u043C ");
}

void find_in_chinese(benchmark::State& state) {
  find(state, "\u6F22\u5B57\u8207\u5047\u540D\u3002");
}

void find_in_hindi(benchmark::State& state) {
  find(state, "\u0939\u093F\u0928\u094D\u0926\u0940 \u0915\u094D\u200D\u0937 ");
}

BENCHMARK(find_in_ascii)->Name("hidden_ascii_gb_s_64k");
BENCHMARK(find_in_cyrillic)->Name("hidden_cyrillic_gb_s_64k");
BENCHMARK(find_in_chinese)->Name("hidden_chinese_gb_s_64k");
BENCHMARK(find_in_hindi)->Name("hidden_hindi_gb_s_64k");

}  // namespace
}  // namespace bartizan
