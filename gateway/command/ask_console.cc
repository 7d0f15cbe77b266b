#include "gateway/command/ask_console.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "config/load/load_config.h"
#include "config/parse_host_port.h"
#include "gateway/runtime/loop.h"
#include "schemas/json/json.h"

namespace bartizan {
namespace {

constexpr std::chrono::seconds kPatience{10};
/// A whole request, with its decisions and their proofs.
constexpr std::size_t kAnswerBytesMax = std::size_t{4} << 20;
constexpr std::string_view kUsualKey = "env:BARTIZAN_KEY";

std::unexpected<Error> wrong(std::string why) {
  return fail(ErrorCode::config_invalid, Fault::client, std::move(why));
}

Result<SecretText> read_key(std::string_view reference) {
  if (reference.empty()) reference = kUsualKey;
  const std::string name(reference.substr(std::min(reference.find(':') + 1, reference.size())));
  SecretReference::Kind kind = SecretReference::Kind::none;
  if (reference.starts_with("env:")) kind = SecretReference::Kind::environment;
  if (reference.starts_with("file:")) kind = SecretReference::Kind::file;
  if (kind == SecretReference::Kind::none || name.empty()) {
    return wrong("--key requires file:PATH or env:NAME, not the key itself");
  }
  Result<SecretText> key = read_secret({.kind = kind, .name = name});
  if (key.has_value()) return key;
  return wrong(key.error().detail +
               ": --key file:PATH or env:NAME gives the API key of an approver");
}

/// The address of a configuration's console, from the same machine.
Result<std::string> url_of(const std::string& file) {
  const LoadedConfig loaded = load_config(file);
  if (!loaded.usable()) {
    std::string problems;
    for (const ConfigProblem& problem : loaded.problems)
      problems += "\n" + text(problem);
    return wrong(file + " cannot be used" + problems);
  }
  const auto& console = loaded.config.console;
  if (!console.has_value())
    return wrong(file + " has no [console]; --console URL names one elsewhere");
  std::string host = console->address.host;
  if (host == "0.0.0.0") host = "127.0.0.1";
  if (host == "::") host = "::1";
  if (host.contains(':')) host = "[" + host + "]";
  return fmt::format("{}://{}:{}", console->tls ? "https" : "http", host, console->address.port);
}

std::string without_end(std::string url) {
  while (url.ends_with('/'))
    url.pop_back();
  return url;
}

}  // namespace

Result<ConsoleDoor> open_console_door(const ConsoleDoorOptions& options) {
  Result<std::string> named = options.url.empty() ? url_of(options.config) : options.url;
  if (!named.has_value()) return std::unexpected(named.error());
  const std::string whole = without_end(*std::move(named));
  Result<ServerUrl> url = parse_server_url(whole);
  if (!url.has_value()) return wrong(whole + ": " + std::string(url.error().detail));
  if (!url->tls && !is_loopback(url->host)) {
    return wrong(whole +
                 ": your key would be sent in clear: write https://, or a loopback address");
  }
  ConsoleDoor door{.url = *std::move(url)};
  if (door.url.target == "/") door.url.target.clear();
  if (door.url.tls) {
    auto tls = make_client_tls(options.ca);
    if (!tls.has_value()) return std::unexpected(tls.error());
    door.tls = *std::move(tls);
  }
  Result<SecretText> key = read_key(options.key);
  if (!key.has_value()) return std::unexpected(key.error());
  if (key->empty()) return wrong("the key is empty");
  door.key = *std::move(key);
  return door;
}

Result<FetchedDocument> ask_console(const ConsoleDoor& door, ConsoleQuestion question) {
  DocumentRequest request{.url = door.url,
                          .bytes_max = kAnswerBytesMax,
                          .deadline = kPatience,
                          .authorization = "Bearer " + std::string(door.key.view()),
                          .json = std::move(question.json)};
  if (!question.if_match.empty()) {
    request.headers.emplace_back("If-Match", std::move(question.if_match));
  }
  request.url.target += question.target;
  Loop loop{0};
  std::optional<Result<FetchedDocument>> answer;
  spawn(loop,
        [](Loop& its, std::shared_ptr<asio::ssl::context> tls, DocumentRequest asked,
           std::optional<Result<FetchedDocument>>& out) -> Task<void> {
          out = co_await fetch_document(its, std::move(tls), std::move(asked));
          its.stop();
        }(loop, door.tls, std::move(request), answer));
  loop.run();
  if (answer.has_value() && answer->has_value()) return *std::move(*answer);
  return fail(ErrorCode::closed, Fault::server,
              fmt::format("{}: {}; is the gateway running, with a console?", door.url.authority(),
                          answer.has_value() ? std::string(answer->error().detail) : "no answer"));
}

std::string reason_of_console(const FetchedDocument& answer) {
  const Bytes bytes{std::string_view(answer.body)};
  JsonDocument document;
  const Result<JsonValue> problem = document.read(bytes, kResponseLimits);
  const std::string_view detail =
      problem.has_value() ? problem->find("detail").text() : std::string_view();
  if (!detail.empty()) return std::string(detail);
  return fmt::format("the answer has the status {} and no reason", answer.status);
}

}  // namespace bartizan
