#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

/// A sign-in in progress.
struct SignInRequest {
  std::string door = {};          ///< Name of the front door.
  std::string client = {};        ///< The client's id.
  std::string client_name = {};   ///< As it calls itself.
  std::string client_kind = {};   ///< `configured`, `document` or `registered`.
  std::string redirect = {};      ///< Where the client wants the user redirected.
  std::string client_state = {};  ///< `state`, as the client sent it.
  std::string scopes = {};        ///< Sorted, with blanks between.
  std::string resource = {};      ///< The endpoint's resource.
  std::string challenge = {};     ///< `code_challenge`
  std::string verifier = {};      ///< For the provider; empty until the user is sent there.
  std::string nonce = {};         ///< For the provider, as `verifier`.
  std::string consent =
      {};  ///< The key of a remembered consent; empty if it must not be remembered.
  /// The user who consented before, if that was remembered. Empty: the user was asked now.
  std::string remembered = {};

  /// The form in the state file: a JSON object.
  std::string to_json() const;
  static std::optional<SignInRequest> from_json(std::string_view json);
};

}  // namespace bartizan
