#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

/// What a sign-in is about, while it is under way.
struct SignInRequest {
  std::string door = {};          ///< Name of the front door.
  std::string client = {};        ///< Id.
  std::string client_name = {};   ///< As it calls itself.
  std::string client_kind = {};   ///< `configured`, `document` or `registered`.
  std::string redirect = {};      ///< Where the client wants the user sent back to.
  std::string client_state = {};  ///< `state`, as the client sent it.
  std::string scopes = {};        ///< With blanks between, sorted.
  std::string resource = {};      ///< Of the endpoint.
  std::string challenge = {};     ///< `code_challenge`
  std::string verifier = {};      ///< Toward the provider; empty until it goes there.
  std::string nonce = {};         ///< Toward the provider, as `verifier`.
  std::string consent = {};       ///< What it is remembered by; empty: it is not to be.
  /// Who consented before, where that was remembered; empty: the user was asked now.
  std::string remembered = {};

  /// As the state file keeps it: a JSON object.
  std::string to_json() const;
  static std::optional<SignInRequest> from_json(std::string_view json);
};

}  // namespace bartizan
