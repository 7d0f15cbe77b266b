#include "gateway/command/command_token.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "config/load/load_config.h"
#include "gateway/front_door/front_door_secrets.h"
#include "gateway/identity/authenticate.h"
#include "gateway/identity/front_door_verifier.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "gateway/runtime/loop.h"
#include "gateway/token/signed_token.h"
#include "policy/check/compile_policy.h"
#include "schemas/base/secret_text.h"

namespace bartizan {
namespace {

/// The principal of a token at one endpoint.
struct Explained {
  std::string endpoint;  ///< Empty: the one of `[listen] path`.
  Authentication proved;
};

std::string time_text(std::int64_t seconds) {
  if (seconds == kNeverExpires) return "never";
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

std::string joined(const std::vector<std::string>& texts) {
  std::string text;
  for (const std::string& one : texts)
    text.append(text.empty() ? "" : ", ").append(one);
  return text.empty() ? "none" : text;
}

class Explaining {
 public:
  explicit Explaining(const Config& config)
      : policy_(compile_policy(config, {}, {})),
        authenticator_(
            config.auth, policy_, living_,
            {.accepted = std::make_shared<const AcceptedCredentials>(config.endpoints)}) {}

  std::vector<Explained> run(const std::string& token, const std::vector<std::string>& endpoints) {
    spawn(loop_, prove(token, endpoints));
    loop_.run();
    return std::move(explained_);
  }

 private:
  Task<void> prove(std::string token, std::vector<std::string> endpoints) {
    const std::string authorization = "Bearer " + token;
    for (const std::string& endpoint : endpoints) {
      Authentication proved = co_await authenticator_.prove(
          loop_, {.authorization = authorization, .endpoint = endpoint}, seconds_now());
      explained_.push_back({endpoint, std::move(proved)});
    }
    wipe(token.data(), token.size());
    loop_.stop();
  }

  Loop loop_{0};
  LivingPrincipals living_;
  std::shared_ptr<const Policy> policy_;
  Authenticator authenticator_;
  std::vector<Explained> explained_;
};

/// Claims of a signed token that are not secret. They are not verified.
std::vector<std::pair<std::string, std::string>> claims_of(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> claims;
  const auto token = SignedToken::read(text);
  if (!token.has_value()) return claims;
  for (const std::string_view name : {"iss", "aud", "sub", "scope", "scp", "azp", "exp"}) {
    const JsonValue claim = token->claims().find(name);
    if (claim) claims.emplace_back(name, claim.raw());
  }
  if (token->jws().header.key_id.has_value()) {
    claims.emplace_back("kid", *token->jws().header.key_id);
  }
  return claims;
}

std::string place_of(const std::string& endpoint) {
  return endpoint.empty() ? "at [listen] path" : "at endpoint " + endpoint;
}

void write_text(const Explained& one, const CommandOutput& output) {
  const std::string place = place_of(one.endpoint);
  if (!one.proved.has_value()) {
    output.results << fmt::format("{}: no principal: {} ({})\n", place, one.proved.error().detail,
                                  text(one.proved.error().reason));
    return;
  }
  const Authenticated& proved = *one.proved;
  output.results << fmt::format("{}: {}\n  proved by {}\n  roles: {}\n  permissions: {}\n", place,
                                proved.principal->id, proved.proof, joined(proved.principal->roles),
                                joined(proved.principal->permissions));
  if (proved.token != nullptr) {
    output.results << "  scopes: " << joined(proved.token->scopes) << '\n';
    if (!proved.token->actors.empty()) {
      output.results << "  acted for by: " << joined(proved.token->actors) << '\n';
    }
  }
  output.results << "  expires: " << time_text(proved.credential.expires) << '\n';
}

JsonObject json_of(const Explained& one) {
  JsonObject json;
  json.add("endpoint", one.endpoint);
  json.add_flag("is_proved", one.proved.has_value());
  if (!one.proved.has_value()) {
    json.add("reason", text(one.proved.error().reason));
    json.add("detail", one.proved.error().detail);
    return json;
  }
  const Authenticated& proved = *one.proved;
  json.add("principal", proved.principal->id);
  json.add("proof", proved.proof);
  json.add("roles", proved.principal->roles);
  json.add("permissions", proved.principal->permissions);
  if (proved.token != nullptr) {
    json.add("scopes", proved.token->scopes);
    json.add("actors", proved.token->actors);
  }
  json.add("expires", time_text(proved.credential.expires));
  return json;
}

/// The token without its line end; nothing if there is more input.
std::optional<std::string> read_token(std::istream& input) {
  std::string token(kTokenBytesMax + 3, '\0');
  input.read(token.data(), static_cast<std::streamsize>(token.size()));
  token.resize(static_cast<std::size_t>(input.gcount()));
  if (token.ends_with('\n')) token.pop_back();
  if (token.ends_with('\r')) token.pop_back();
  const bool is_one = !token.empty() && token.size() <= kTokenBytesMax &&
                      std::ranges::all_of(token, [](char c) { return c > ' ' && c < 0x7f; });
  return is_one ? std::optional(std::move(token)) : std::nullopt;
}

/// Why a front door's token cannot be explained; empty for other tokens.
std::string_view why_not_explained(std::string_view token) {
  if (token.starts_with(kAccessTokenPrefix)) {
    return "only the running gateway knows the access tokens of a front door: the sign-in is a "
           "record of the kind \"grant\", the calls are those of its principal";
  }
  if (token.starts_with(kRefreshTokenPrefix)) {
    return "a refresh token of a front door authenticates no calls: its client exchanges it for an "
           "access token; bartizan revoke token ends its sign-in";
  }
  return "";
}

int refuse(const CommandOutput& output, std::string_view why) {
  output.problems << "bartizan token: " << why << '\n';
  return kExitFailed;
}

}  // namespace

int explain_token(const TokenExplainOptions& options, std::istream& input,
                  const CommandOutput& output) {
  const LoadedConfig loaded = load_config(options.file);
  if (!loaded.usable())
    return refuse(output, "the configuration does not load: see bartizan check");
  const Config& config = loaded.config;
  std::optional<std::string> token = read_token(input);
  if (!token.has_value()) {
    return refuse(
        output,
        "standard input must be one token: printf %s \"$TOKEN\" | bartizan token explain FILE");
  }
  if (const std::string_view why = why_not_explained(*token); !why.empty()) {
    wipe(token->data(), token->size());
    return refuse(output, why);
  }
  std::vector<std::string> endpoints;
  for (const auto& [name, endpoint] : config.endpoints) {
    if (options.endpoint.empty() || options.endpoint == name) endpoints.push_back(name);
  }
  if (config.endpoints.empty()) endpoints.emplace_back();
  if (endpoints.empty()) return refuse(output, "there is no endpoint of that name");
  start_log(LogConfig::Level::error);
  const std::vector<Explained> all = Explaining(config).run(*token, endpoints);
  const auto claims = claims_of(*token);
  wipe(token->data(), token->size());
  const bool is_any =
      std::ranges::any_of(all, [](const Explained& one) { return one.proved.has_value(); });
  if (output.format == OutputFormat::json) {
    JsonObject json;
    JsonObject said;
    for (const auto& [name, value] : claims)
      name == "kid" ? said.add(name, value) : said.add_json(name, value);
    json.add_json("claims", said.text());
    std::vector<JsonObject> rows;
    rows.reserve(all.size());
    for (const Explained& one : all)
      rows.push_back(json_of(one));
    json.add("endpoints", rows);
    output.results << json.text() << '\n';
  } else {
    if (!claims.empty()) output.results << "claims of the token, not verified:\n";
    for (const auto& [name, value] : claims)
      output.results << fmt::format("  {}: {}\n", name, value);
    for (const Explained& one : all)
      write_text(one, output);
  }
  return finish(output, is_any ? kExitDone : kExitFailed);
}

}  // namespace bartizan
