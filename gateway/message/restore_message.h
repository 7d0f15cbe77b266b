#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gateway/message/received_message.h"
#include "policy/check/truncate_result.h"
#include "schemas/base/bytes.h"
#include "schemas/message/message.h"
#include "schemas/message/splice.h"

namespace bartizan {

/// A server's message with the client's id, token and subscription id. The kinds are those of
/// schemas/message/splice.h. The rest of the message is unchanged.
/// Input:    the bytes that `message` looks into; `id` and `token` as the client spelled them; the
///           token of progress is never empty; `also`, further replacements of the same kinds.
/// Lifetime: nothing of `message` may be read afterwards.
/// Cost:     that of splice_in_place.
std::string restore_message(Bytes bytes, const Message& message, std::string_view id,
                            std::string_view token, std::vector<Splice> also = {});

/// A server's result with the client's id. Members of its `_meta` under `bartizan/` are removed,
/// since only the gateway may send them.
/// Input:    the bytes that `message` looks into.
/// Lifetime: nothing of `message` may be read afterwards.
std::string restore_result(Bytes bytes, const Message& message, std::string_view id);

/// A server's error with the client's id. Members of its `data` that look like the gateway's own
/// are removed.
/// Input:    the bytes that `message` looks into.
/// Lifetime: nothing of `message` may be read afterwards.
std::string restore_error(Bytes bytes, const Message& message, std::string_view id);

/// A copy of a tool's result with the client's id, and without its structured content, which is
/// withheld. It is an error. Its `content` is unchanged, and its `_meta` has the member
/// `note_json`. A result without `content`, which clients cannot read, gets `content_json`.
std::string restore_without_structured_content(const ReceivedMessage& received, std::string_view id,
                                               std::string_view note_json,
                                               std::string_view content_json);

/// A copy of a tool's result with the client's id, and without its structured content, which could
/// not be judged. No output schema promised that content. So the result is an error only if the
/// server says so, or if nothing else is left. In the latter case it gets `content_json`. Its
/// `_meta` has the member `note_json`.
std::string restore_without_unjudged_content(const ReceivedMessage& received, std::string_view id,
                                             std::string_view note_json,
                                             std::string_view content_json);

/// The answer in place of a withheld result, with the client's id: an error whose `content` is
/// `content_json`. Its `_meta` has the member `note_json`.
std::string restore_without_result(const ReceivedMessage& received, std::string_view id,
                                   std::string_view note_json, std::string_view content_json);

/// A copy of a tool's result with the client's id, cut to its first part. Its `_meta` has the
/// member `note_json`. It is an error if it lacks the structured content that clients may expect.
std::string restore_truncated(const ReceivedMessage& received, std::string_view id,
                              std::string_view note_json, const TruncatedResult& truncated);

}  // namespace bartizan
