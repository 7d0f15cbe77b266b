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
/// The most sign-ins of operators in progress at providers; a further one replaces the oldest. Also
/// the longest time for one.
inline constexpr std::size_t console_provider_sign_ins_max = 64;
inline constexpr std::chrono::minutes console_provider_sign_in_max{10};
}  // namespace limits

/// An operator's sign-in in progress at an identity provider.
struct ProviderSignIn {
  std::string door;      ///< Name of the front door with that provider.
  std::string redirect;  ///< The URI to which the provider redirects the browser.
  std::string nonce;
  std::string verifier;   ///< Of PKCE.
  std::string browser;    ///< SHA-256 of the browser's cookie, hexadecimal.
  std::string then = {};  ///< The requested page; empty for none.
  std::chrono::steady_clock::time_point begun = {};
};

/// The sign-ins in progress, by the SHA-256 of the state that the provider returns. State as a
/// value, time as an argument.
///
/// Threads: one at a time. Bounded: by `limits::console_provider_sign_ins_max`.
class ProviderSignIns {
 public:
  using Clock = std::chrono::steady_clock;

  void add(std::string state_digest, ProviderSignIn sign_in, Clock::time_point now);
  /// Removes and returns the sign-in of that state; nothing if there is none, or it is over.
  std::optional<ProviderSignIn> take(std::string_view state_digest, Clock::time_point now);
  std::size_t size() const { return all_.size(); }

 private:
  std::map<std::string, ProviderSignIn, std::less<>> all_;
};

}  // namespace bartizan
