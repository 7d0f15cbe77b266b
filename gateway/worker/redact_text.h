#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/encode_record.h"
#include "gateway/message/received_message.h"
#include "gateway/worker/worker.h"
#include "policy/injection/injection_warning.h"
#include "policy/sanitise/sanitiser.h"

namespace bartizan {

// What a worker takes out of texts that belong to no message about a call, and what it has in
// common with `call/clean_message.h`, which does so for those messages.

/// A text into which something was put is still no larger than a message may be.
inline constexpr JsonLimits kRewrittenLimits{
    .bytes_max = limits::response_bytes_max + (std::size_t{1} << 20),
    .values_max = limits::response_values_max,
    .numbers = JsonLimits::Numbers::keep_as_text};

/// What stands in the place of text that is withheld, where something has to stand.
inline constexpr std::string_view kWithheldText = "[withheld]";

/// Counts in the metrics what redactions found in a text of that carrier.
void count_redacted(Worker& worker, Carrier carrier, const Redacted& redacted);
void count_redacted(Worker& worker, Carrier carrier, const Redaction& redaction);
/// Counts in the metrics what sanitising found in a text of that carrier.
void count_sanitised(Worker& worker, Carrier carrier, const Sanitisation& sanitised);

/// What was mended of a message when it was read, as the record has it: `surrogate replace 2`.
std::vector<Sanitised> found_in(const Mended& mended);

/// Whether texts of that carrier are searched for orders to a model: not what servers say of
/// themselves, which `policy/definition` searches, and not records.
bool is_screened(Carrier carrier);
/// The orders that were found, as the record has them: with what was done about them, and `by`, the
/// rule that withholds them.
std::vector<Sanitised> screened(const Injections& injections, InjectionScreen screen,
                                std::string_view by = {});

/// The scope of a text that was sanitised by the policy: what hiding the redactor may still meet.
RedactionScope once_sanitised(const Policy& policy, RedactionScope scope);

/// What became of a text, and what was found in it.
struct RedactedText {
  std::optional<std::string> left;  ///< Nothing where none of it may pass.
  std::vector<Sanitised> sanitised;
  std::vector<Redacted> redacted;
};

/// Sanitises and redacts a JSON text, in which `member` of the root says something, or all of it
/// does. What was found is counted. Nothing is left of a text that is no JSON once rewritten.
RedactedText redact_json(Worker& worker, const Policy& policy, const RedactionScope& scope,
                         std::string_view json, std::string_view member = {});
/// Sanitises and redacts a text that is no JSON. What was found is counted.
RedactedText redact_text(Worker& worker, const Policy& policy, const RedactionScope& scope,
                         std::string_view said);

/// Whether anything is found in the text of a message, whatever rules say.
bool is_suspect(Worker& worker, const std::string& message);

/// What is left of a message that belongs to no call, as a session of that principal gets it;
/// nothing where none of it may pass.
///
/// Input: `before`, the `last_words` of what that session got from the server before; may be empty.
std::optional<std::string> redact_event(Worker& worker, const Principal& principal,
                                        std::string_view server, const std::string& message,
                                        std::string_view before);

/// The `last_words` of a notification behind those before it. Cost: reads the message.
std::string last_words_of(Worker& worker, std::string_view message, std::string_view before);

/// What is left of a line that is about to be logged.
std::string redact_line(Worker& worker, std::string_view server, std::string_view line);

/// A record without what rules take out of the texts that strangers wrote: names, URIs, what
/// clients say of themselves.
EncodedRecord encode_redacted(Worker& worker, const Record& record);

}  // namespace bartizan
