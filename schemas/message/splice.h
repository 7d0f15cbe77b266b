#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/base/bytes.h"
#include "schemas/message/message.h"

namespace bartizan {

/// The changes that are allowed in a message after it was judged. Each keeps the message's meaning:
/// it replaces one name by the other name of the same thing, on the two sides of the gateway. The
/// enum is closed. A rewrite that changes the meaning happens before judging (README.md, "What is
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
  era_members,    ///< Members that depend on the era of a request (`era_translation.h`).
  approved_by,    ///< `params.approved_by`: who approved the call, for an agent.
  input_responses,  ///< Judged answers of the client, put into the request that they belong to.
};

/// One replacement of a value by another JSON text.
struct Splice {
  SpliceKind kind;
  ByteRange range;          ///< Of the value in the judged bytes.
  std::string replacement;  ///< Already encoded: one JSON value, or members of an object.
};

/// Length of `bytes` after the splices. Splices are sorted by range and do not overlap.
std::size_t spliced_size(std::string_view bytes, const std::vector<Splice>& splices);

/// Appends `bytes` with each range replaced. Bytes outside the ranges do not change.
/// Cost: one copy.
void append_spliced(std::string& out, std::string_view bytes, const std::vector<Splice>& splices);

/// Replaces each range in a text that the caller gives up. Bytes outside the ranges do not change.
/// Splices are sorted by range and do not overlap.
/// Cost: moves the bytes after a range whose length changes; one copy if the text has no room to
///       grow.
std::string splice_in_place(std::string text, const std::vector<Splice>& splices);

/// Sorts splices as the functions above require.
void sort_splices(std::vector<Splice>& splices);

}  // namespace bartizan
