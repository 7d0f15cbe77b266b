#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "gateway/call/call_frame.h"
#include "schemas/json/json.h"
#include "schemas/message/listen_filter.h"

namespace bartizan {

/// The acknowledgements of one subscription. Each server acknowledges its own part. The client gets
/// one acknowledgement with all of them.
///
/// Bounded: by what the client asked for.
/// Source:  MCP 2026-07-28, basic/patterns/subscriptions, "Acknowledgment".
class Acknowledgement {
 public:
  /// Input: a permitted `subscriptions/listen`, and how many servers it goes to. Lifetime: the
  /// frame outlives this.
  Acknowledgement(const CallFrame& frame, std::size_t parts);

  /// A server acknowledged its part. Input: its `notifications`, with the server's own URIs and
  /// ids. Entries that the client did not request are dropped.
  void agree(std::uint32_t part, std::string_view server, JsonValue notifications);
  /// A server refused its part, or it is over.
  void refuse(std::uint32_t part);
  /// Whether every server has acknowledged or refused its part.
  bool is_complete() const { return unanswered_.empty(); }

  /// The message for the client, with URIs and ids as the client spelled them.
  std::string text() const;

 private:
  const CallFrame& frame_;
  std::set<std::uint32_t> unanswered_;
  ListenFilter wanted_;  ///< As the client spelled it.
  ListenFilter agreed_;  ///< In the client's words; tasks by its own ids.
};

}  // namespace bartizan
