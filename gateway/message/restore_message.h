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

/// A server's message with the client's id, token and subscription id put back. The kinds are
/// those of schemas/message/splice.h; everything else of the message leaves as it came.
/// Input:    the bytes that `message` looks into; `id` and `token` as the client spelled them; the
///           token of progress is never empty; `also`, further replacements of the same kinds.
/// Lifetime: nothing of `message` may be read afterwards.
/// Cost:     that of splice_in_place.
std::string restore_message(Bytes bytes, const Message& message, std::string_view id,
                            std::string_view token, std::vector<Splice> also = {});

/// A server's result with the client's id put back, without members of its `_meta` under
/// `bartizan/`, which are the gateway's own to say.
/// Input:    the bytes that `message` looks into.
/// Lifetime: nothing of `message` may be read afterwards.
std::string restore_result(Bytes bytes, const Message& message, std::string_view id);

/// A server's error with the client's id put back, without what in its `data` would look like the
/// gateway's own words.
/// Input:    the bytes that `message` looks into.
/// Lifetime: nothing of `message` may be read afterwards.
std::string restore_error(Bytes bytes, const Message& message, std::string_view id);

/// A copy of a tool's result with the client's id, without its structured content, which is
/// withheld: it is an error, its `content` is untouched, and its `_meta` says what happened, by the
/// member `note_json`. A result without `content`, which clients read as none at all, gets
/// `content_json`.
std::string restore_without_structured_content(const ReceivedMessage& received, std::string_view id,
                                               std::string_view note_json,
                                               std::string_view content_json);

/// A copy of a tool's result with the client's id, without its structured content, which nobody
/// could judge. Nothing was promised of that, so the result is an error only where the server says
/// so, or where nothing else is left of it, and `content_json` stands in its place. Its `_meta`
/// says what happened, by the member `note_json`.
std::string restore_without_unjudged_content(const ReceivedMessage& received, std::string_view id,
                                             std::string_view note_json,
                                             std::string_view content_json);

/// The answer, with the client's id, in the place of a result that is withheld as a whole: an error
/// with `content_json` for its `content`, whose `_meta` says what happened, by the member
/// `note_json`.
std::string restore_without_result(const ReceivedMessage& received, std::string_view id,
                                   std::string_view note_json, std::string_view content_json);

/// A copy of a tool's result with the client's id, of which there is only the first part. Its
/// `_meta` says what happened, by the member `note_json`. Without the structured content that
/// clients of a tool may wait for, it is an error.
std::string restore_truncated(const ReceivedMessage& received, std::string_view id,
                              std::string_view note_json, const TruncatedResult& truncated);

}  // namespace bartizan
