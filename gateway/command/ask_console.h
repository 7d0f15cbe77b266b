#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "gateway/http/fetch_document.h"
#include "gateway/review/command_output.h"
#include "schemas/base/secret_text.h"

namespace bartizan {

/// How a command gets to a console.
struct ConsoleDoorOptions {
  std::string config;  ///< Configuration, whose `[console]` is asked; empty where `url` is set.
  std::string url;     ///< `https://HOST:PORT`
  std::string key;     ///< `file:PATH` or `env:NAME` of an API key; empty: `env:BARTIZAN_KEY`.
  std::string ca;  ///< PEM roots that a console's certificate is checked against; empty: system.
};

/// A console that can be asked.
struct ConsoleDoor {
  ServerUrl url;
  std::shared_ptr<asio::ssl::context> tls;  ///< Null where the console is asked without TLS.
  SecretText key;
};

/// The console of those options. Errors: config_invalid, with a sentence that holds no key.
Result<ConsoleDoor> open_console_door(const ConsoleDoorOptions& options);

/// One question.
struct ConsoleQuestion {
  std::string target;         ///< `/api/approvals`
  std::string json = {};      ///< Sent by POST; empty: GET.
  std::string if_match = {};  ///< Empty: not sent.
};

/// Asks, and waits ten seconds at most. Errors: those of `fetch_document`, with a sentence that
/// names the console.
Result<FetchedDocument> ask_console(const ConsoleDoor& door, ConsoleQuestion question);

/// Why a console did not do something: what its answer says, or the answer itself.
std::string reason_of_console(const FetchedDocument& answer);

}  // namespace bartizan
