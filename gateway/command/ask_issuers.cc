#include "gateway/command/ask_issuers.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "config/parse_units.h"
#include "gateway/front_door/provider.h"
#include "gateway/identity/fetch_issuer_keys.h"
#include "gateway/identity/introspection.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/loop.h"
#include "gateway/runtime/random.h"

namespace bartizan {
namespace {

/// A value that no provider ever issued.
constexpr std::string_view kNothing = "bartizan-check";

class Asking {
 public:
  explicit Asking(const Config& config) : config_(config) {}

  std::vector<AskedIssuer> run() {
    spawn(loop_, ask_all());
    loop_.run();
    return std::move(asked_);
  }

 private:
  using Outcome = std::pair<bool, std::string>;

  static Outcome wrong(const Error& error) { return {false, std::string(error.detail)}; }

  Task<Outcome> ask_keys(const IssuerConfig& issuer) {
    const Result<FetchedKeys> keys = co_await fetch_issuer_keys(loop_, issuer);
    if (!keys.has_value()) co_return wrong(keys.error());
    co_return Outcome{!keys->set.keys.empty(),
                      format_count(keys->set.keys.size(), "key") + " that can be used"};
  }

  Task<Outcome> ask_about_token(const IssuerConfig& issuer) {
    const auto introspection = std::make_shared<Introspection>(issuer);
    const auto answer = co_await introspection->ask(loop_, std::string(kNothing), seconds_now());
    if (!answer.has_value()) co_return wrong(answer.error());
    if (answer->is_active) co_return Outcome{false, "it reports any token as active"};
    co_return Outcome{true, "it answers questions about tokens"};
  }

  Task<Outcome> ask_provider(const FrontDoorConfig& door) {
    SignIns sign_ins(std::make_shared<GrantNotes>(), std::make_shared<IssuerKeyTable>());
    Random random;
    Provider provider(loop_, sign_ins, door, random);
    if (!door.provider.issuer.empty()) {
      Outcome keys = co_await ask_keys(door.provider);
      if (!keys.first) co_return keys;
    }
    const std::string nothing(kNothing);
    const Result<ProviderUser> user = co_await provider.exchange(nothing, nothing, nothing);
    if (user.has_value()) co_return Outcome{false, "it accepts any code"};
    // It knows the client, and refuses the code.
    if (user.error().code == ErrorCode::invalid_params) {
      co_return Outcome{true, "it knows the gateway; the first sign-in shows whether it knows " +
                                  provider.redirect_uri()};
    }
    co_return wrong(user.error());
  }

  Task<void> ask_all() {
    for (const IssuerConfig& issuer : config_.auth.issuers) {
      auto [is_right, answer] = issuer.introspection.has_value() ? co_await ask_about_token(issuer)
                                                                 : co_await ask_keys(issuer);
      asked_.push_back(
          {"issuer " + issuer.name, issuer.issuer, issuer.where, is_right, std::move(answer)});
    }
    for (const FrontDoorConfig& door : config_.auth.front_doors) {
      auto [is_right, answer] = co_await ask_provider(door);
      const std::string& url = door.provider.issuer.empty() ? door.token_url : door.provider.issuer;
      asked_.push_back({"front door " + door.name, url, door.where, is_right, std::move(answer)});
    }
    loop_.stop();
  }

  const Config& config_;
  Loop loop_{0};
  std::vector<AskedIssuer> asked_;
};

}  // namespace

std::vector<AskedIssuer> ask_issuers(const Config& config) {
  return Asking(config).run();
}

}  // namespace bartizan
