// What the benchmark's servers answer: a body of an exact size for each tool, under the caller's
// id.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bartizan {

/// Bytes of the answer of `read_note` and of `read_book`, as JSON documents.
constexpr std::size_t kNoteBytes = 400;
constexpr std::size_t kBookBytes = std::size_t{64} * 1024;

/// The JSON-RPC answer to one message; empty for a notification.
/// Cost: one pass over the first bytes of `message`, and the answer's.
std::string answer_to(std::string_view message);

/// The text behind `"method":"`, empty where there is none.
std::string_view method_of(std::string_view message);

}  // namespace bartizan
