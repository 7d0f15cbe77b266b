#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/base/bytes.h"
#include "schemas/message/message.h"

namespace bartizan {

/// What may still change in a message once it was judged. Each keeps the message's meaning: it
/// swaps one name of a thing for another name of the same thing, on the two sides of the gateway.
/// The enum is closed; a rewrite that changes meaning happens before judging (README.md, "What is
/// promised").
enum class SpliceKind : std::uint8_t {
  tool_name,  ///< `params.name`: the name clients see ↔ the server's own.
  prompt_name,
  request_id,  ///< `id`, and `params.requestId` of a cancellation.
  progress_token,
  subscription_id,
  resource_uri,   ///< The URI clients see ↔ the server's own; of a subscription, the server's part.
  task_id,        ///< `taskId`, `taskIds`: sealed for the client ↔ the server's own.
  request_state,  ///< `requestState`: sealed for the client ↔ the server's own.
  era_members,    ///< Members that say in which era a request is (`era_translation.h`).
  approved_by,    ///< `params.approved_by`: who approved the call, for an agent.
  input_responses,  ///< Answers of the client, each judged, put into the request that they are for.
};

/// One replacement of a value by another JSON text.
struct Splice {
  SpliceKind kind;
  ByteRange range;          ///< Of the value in the judged bytes.
  std::string replacement;  ///< Already encoded: one JSON value, or members of an object.
};

/// Length of `bytes` after the splices. Splices are sorted by range and do not overlap.
std::size_t spliced_size(std::string_view bytes, const std::vector<Splice>& splices);

/// Appends `bytes` with each range replaced. Every byte outside the ranges is kept as it is.
/// Cost: one copy.
void append_spliced(std::string& out, std::string_view bytes, const std::vector<Splice>& splices);

/// A text that nobody needs as it was, with each range replaced. Every byte outside the ranges is
/// kept as it is. Splices are sorted by range and do not overlap. Cost: what stands behind a range
/// whose length changes is moved; one copy where the text has no room to grow.
std::string splice_in_place(std::string text, const std::vector<Splice>& splices);

/// Puts splices in the order that both need.
void sort_splices(std::vector<Splice>& splices);

}  // namespace bartizan
