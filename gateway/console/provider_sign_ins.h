#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

namespace limits {
/// Sign-ins of operators at providers that are under way. One more takes the place of the one that
/// began longest ago.
inline constexpr std::size_t console_provider_sign_ins_max = 64;
inline constexpr std::chrono::minutes console_provider_sign_in_max{10};
}  // namespace limits

/// A sign-in of an operator that is under way at an identity provider.
struct ProviderSignIn {
  std::string door;      ///< Name of the front door whose provider that is.
  std::string redirect;  ///< Where the provider sends the browser back to.
  std::string nonce;
  std::string verifier;   ///< Of PKCE.
  std::string browser;    ///< SHA-256 of the cookie of its browser, hexadecimal.
  std::string then = {};  ///< The page that was asked for; empty for none.
  std::chrono::steady_clock::time_point begun = {};
};

/// Those under way, by the SHA-256 of the state that the provider sends back. State as a value,
/// time as an argument.
///
/// Threads: one at a time. Bounded: by `limits::console_provider_sign_ins_max`.
class ProviderSignIns {
 public:
  using Clock = std::chrono::steady_clock;

  void add(std::string state_digest, ProviderSignIn sign_in, Clock::time_point now);
  /// Ends the one of that state, and answers it; nothing where there is none, or it is over.
  std::optional<ProviderSignIn> take(std::string_view state_digest, Clock::time_point now);
  std::size_t size() const { return all_.size(); }

 private:
  std::map<std::string, ProviderSignIn, std::less<>> all_;
};

}  // namespace bartizan
