#include "gateway/message/correlation_id.h"

#include <algorithm>
#include <cstddef>

#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

constexpr std::size_t kBytesMax = 128;

bool is_of_id(char c) {
  return is_letter(c) || is_digit(c) || c == '-' || c == '_' || c == '.' || c == ':' || c == '/';
}

}  // namespace

bool is_correlation_id(std::string_view text) {
  return !text.empty() && text.size() <= kBytesMax && std::ranges::all_of(text, is_of_id);
}

std::string_view read_correlation_id(JsonValue meta) {
  for (const std::string_view name : {"traceparent", "bartizan/correlation_id"}) {
    const std::string_view id = meta.find(name).text();
    if (is_correlation_id(id)) return id;
  }
  return {};
}

}  // namespace bartizan
