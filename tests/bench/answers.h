// What the benchmark's servers answer: a body of an exact size for each tool, under the caller's
// id.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace bartizan {

/// A tool, and the bytes of its answer as a JSON document.
struct SizedTool {
  std::string_view name;
  std::size_t bytes;
};
constexpr std::size_t kMebibyte = std::size_t{1024} * 1024;
constexpr std::array kSizedTools = {
    SizedTool{"read_note", 400},         SizedTool{"read_book", kMebibyte / 16},
    SizedTool{"read_1m", kMebibyte},     SizedTool{"read_4m", 4 * kMebibyte},
    SizedTool{"read_8m", 8 * kMebibyte},
};

/// The JSON-RPC answer to one message; empty for a notification.
/// Cost: one pass over the first bytes of `message`, and the answer's.
std::string answer_to(std::string_view message);

/// The text behind `"method":"`, empty where there is none.
std::string_view method_of(std::string_view message);

}  // namespace bartizan
