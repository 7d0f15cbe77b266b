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

/// What a server may ask a user at once, as JSON: pages of text.
inline constexpr std::size_t kElicitationBytesMax = std::size_t{64} << 10;

/// Where each server may send users: by server, of those that may at all.
using ElicitationUrls = std::map<std::string, UrlRules, std::less<>>;
ElicitationUrls compile_elicitation_urls(const Config& config);

/// May a server ask a client's user this?
///
/// A form may not ask for secrets: no field into which one is typed has a word for them in its
/// name, title or description, and neither has the message where there is such a field, or none at
/// all. One of another shape than the protocol's flat one, or larger than
/// `kElicitationBytesMax`, is refused, since it may ask for anything. A URL must fit
/// `elicitation_urls` of the server. Another mode is refused. Silent about all that is no
/// `elicitation/create`.
///
/// Source: MCP 2025-11-25, client/elicitation, "Security Considerations"; CWE-1021, CWE-601.
Decision check_elicitation(const ElicitationUrls& urls, const Call& call);

/// Whether a text has a word for what must stay secret: `Password`, `DBPassword1`, `apiKey`, `card
/// numbers`. Words are told apart at blanks, signs, digits and capitals, and also taken together;
/// letters of other widths and cases count as theirs.
/// Cost: some passes over the text and over copies of it, so callers bound it.
bool names_a_secret(std::string_view text);

}  // namespace bartizan
