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

/// The replacement for withheld text, where a text is required.
inline constexpr std::string_view kWithheldText = "[withheld]";

/// Counts in the metrics what redactions found in a text of that carrier.
void count_redacted(Worker& worker, Carrier carrier, const Redacted& redacted);
void count_redacted(Worker& worker, Carrier carrier, const Redaction& redaction);
/// Counts in the metrics what sanitising found in a text of that carrier.
void count_sanitised(Worker& worker, Carrier carrier, const Sanitisation& sanitised);

/// The repairs of a message when it was parsed, for the record: `surrogate replace 2`.
std::vector<Sanitised> found_in(const Mended& mended);

/// Whether texts of that carrier are screened for orders to a model. Definitions are not, because
/// `policy/definition` scans them, and records are not.
bool is_screened(Carrier carrier);
/// The orders that were found, for the record: with the action, and `by`, the rule that withholds
/// them.
std::vector<Sanitised> screened(const Injections& injections, InjectionScreen screen,
                                std::string_view by = {});

/// The scope of a sanitised text: the hidden characters that the redactor may still find.
RedactionScope once_sanitised(const Policy& policy, RedactionScope scope);

/// The text after redaction, and the findings.
struct RedactedText {
  std::optional<std::string> left;  ///< Nothing if the whole text is withheld.
  std::vector<Sanitised> sanitised;
  std::vector<Redacted> redacted;
};

/// Sanitises and redacts a JSON text: `member` of the root, or all of it. Findings are counted. A
/// text that is not JSON after the rewrite is withheld.
RedactedText redact_json(Worker& worker, const Policy& policy, const RedactionScope& scope,
                         std::string_view json, std::string_view member = {});
/// Sanitises and redacts a text that is not JSON. Findings are counted.
RedactedText redact_text(Worker& worker, const Policy& policy, const RedactionScope& scope,
                         std::string_view said);

/// Whether anything is found in the text of a message, whatever the rules do about it.
bool is_suspect(Worker& worker, const std::string& message);

/// A message that belongs to no call, as a session of that principal gets it; nothing if it is
/// withheld.
///
/// Input: `before`, the `last_words` that the session got from the server before; may be empty.
std::optional<std::string> redact_event(Worker& worker, const Principal& principal,
                                        std::string_view server, const std::string& message,
                                        std::string_view before);

/// The `last_words` after a notification, given those before it. Cost: parses the message.
std::string last_words_of(Worker& worker, std::string_view message, std::string_view before);

/// A line for the log, redacted.
std::string redact_line(Worker& worker, std::string_view server, std::string_view line);

/// A record with its texts from strangers redacted: names, URIs, and what clients say about
/// themselves.
EncodedRecord encode_redacted(Worker& worker, const Record& record);

}  // namespace bartizan
