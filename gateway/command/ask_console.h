#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "gateway/http/fetch_document.h"
#include "gateway/review/command_output.h"
#include "schemas/base/secret_text.h"

namespace bartizan {

/// How a command reaches a console.
struct ConsoleDoorOptions {
  /// The configuration with the `[console]`; empty if `url` is set.
  std::string config;
  std::string url;  ///< `https://HOST:PORT`
  std::string key;  ///< `file:PATH` or `env:NAME` of an API key; empty: `env:BARTIZAN_KEY`.
  /// PEM roots that verify the console's certificate; empty: system roots.
  std::string ca;
};

/// A reachable console.
struct ConsoleDoor {
  ServerUrl url;
  std::shared_ptr<asio::ssl::context> tls;  ///< Null: without TLS.
  SecretText key;
};

/// The console of those options. Errors: `config_invalid`, with a sentence without the key.
Result<ConsoleDoor> open_console_door(const ConsoleDoorOptions& options);

/// One request to a console.
struct ConsoleQuestion {
  std::string target;         ///< `/api/approvals`
  std::string json = {};      ///< Sent by POST; empty: GET.
  std::string if_match = {};  ///< Empty: not sent.
};

/// Sends the request, and waits at most ten seconds. Errors: those of `fetch_document`, with a
/// sentence that names the console.
Result<FetchedDocument> ask_console(const ConsoleDoor& door, ConsoleQuestion question);

/// The reason of a console's refusal: the one in its response, or the response itself.
std::string reason_of_console(const FetchedDocument& answer);

}  // namespace bartizan
