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

/// The same for a result, without members of its `_meta` under `bartizan/`, which are the
/// gateway's own to say.
std::string restore_result(Bytes bytes, const Message& message, std::string_view id);

/// The same for an error, without what in its `data` would look like the gateway's own words.
std::string restore_error(Bytes bytes, const Message& message, std::string_view id);

/// The same, as a copy, for the result of a tool whose structured content is withheld: it is an
/// error, its `content` is untouched, and its `_meta` says what happened, by the member
/// `note_json`. A result without `content`, which clients read as none at all, gets `content_json`.
std::string restore_without_structured_content(const ReceivedMessage& received, std::string_view id,
                                               std::string_view note_json,
                                               std::string_view content_json);

/// The same for one that nobody could judge: nothing was promised of it, so it is an error only
/// where the server says so, or where nothing else is left of it.
std::string restore_without_unjudged_content(const ReceivedMessage& received, std::string_view id,
                                             std::string_view note_json,
                                             std::string_view content_json);

/// The same for a result that is withheld as a whole: `content_json` stands in its place.
std::string restore_without_result(const ReceivedMessage& received, std::string_view id,
                                   std::string_view note_json, std::string_view content_json);

/// The same for a result of which there is only the first part. Without the structured content that
/// clients of a tool may wait for, it is an error.
std::string restore_truncated(const ReceivedMessage& received, std::string_view id,
                              std::string_view note_json, const TruncatedResult& truncated);

}  // namespace bartizan
