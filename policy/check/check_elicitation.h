#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "config/config.h"
#include "policy/url/check_url.h"
#include "policy/verdict/call.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// The most bytes of one request to a user, as JSON: several pages of text.
inline constexpr std::size_t kElicitationBytesMax = std::size_t{64} << 10;

/// The URLs to which each server may send users. Servers without such URLs are absent.
using ElicitationUrls = std::map<std::string, UrlRules, std::less<>>;
ElicitationUrls compile_elicitation_urls(const Config& config);

/// May a server send this request to a client's user?
///
/// A form must not ask for secrets. No field for typed text has a word for a secret in its name,
/// title or description. The message has no such word either, if there is a field for typed text or
/// no field at all. A form is refused if it does not have the flat shape of the protocol, or is
/// larger than `kElicitationBytesMax`. A URL must fit `elicitation_urls` of the server. Another
/// mode is refused. Passes every other method.
///
/// Source: MCP 2025-11-25, client/elicitation, "Security Considerations"; CWE-1021, CWE-601.
Decision check_elicitation(const ElicitationUrls& urls, const Call& call);

/// Whether a text has a word for what must stay secret: `Password`, `DBPassword1`, `apiKey`, `card
/// numbers`. Words are told apart at blanks, signs, digits and capitals, and also taken together;
/// letters of other widths and cases count as theirs.
/// Cost: some passes over the text and over copies of it, so callers bound it.
bool names_a_secret(std::string_view text);

}  // namespace bartizan
