#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gateway/store/store.h"

namespace bartizan {

namespace limits {
/// The most valid grants of front doors, and the most of one user. Beyond that a user's oldest
/// grant ends.
inline constexpr std::int64_t grants_max = 20'000;
inline constexpr std::int64_t grants_of_principal_max = 32;
/// The most valid access tokens of one grant. Clients refresh early and in parallel.
inline constexpr std::int64_t access_tokens_of_grant_max = 4;
}  // namespace limits

/// A user's grant to a client at a front door.
struct Grant {
  std::string id = {};         ///< Unpredictable, but not a secret: it proves nothing.
  std::string door = {};       ///< Name of the front door.
  std::string principal = {};  ///< `NAME:VALUE`
  std::string client = {};     ///< Its id.
  std::string resource = {};   ///< Of the endpoint that its tokens are for.
  std::string scopes = {};     ///< Separated by blanks.
  std::string claims = {};     ///< The provider's claims about the user, as a JSON object.
  /// The gateway's own token for the provider when the client refreshes, sealed; empty if it
  /// cannot.
  std::string provider_token = {};
  /// SHA-256 of the valid refresh token, hexadecimal; empty if there is none.
  std::string refresh = {};
  /// The key, hexadecimal, by which a refresh token is recognised as one of this grant. Used tokens
  /// need not be kept for that. It makes no token valid.
  std::string refresh_key = {};
  std::int64_t ends = 0;  ///< Seconds since 1970.

  bool operator==(const Grant&) const = default;
};

/// A code that a client exchanges for the tokens of a grant. Used once.
struct GrantCode {
  std::string digest = {};     ///< SHA-256 of the code, hexadecimal.
  std::string redirect = {};   ///< As the client sent it.
  std::string challenge = {};  ///< `code_challenge` of PKCE.
  std::int64_t ends = 0;
};

/// A client's tokens for a grant, by their SHA-256, hexadecimal.
struct GrantTokens {
  std::string access = {};
  std::int64_t access_ends = 0;
  std::string refresh = {};         ///< Empty if none is issued.
  std::string provider_token = {};  ///< Sealed for the refresh token; as in `Grant`.
};

/// The effect of a code.
struct UsedCode {
  enum class Kind : std::uint8_t {
    unknown,  ///< The code does not exist, or has expired.
    first,    ///< It was used now.
    again     ///< It was used before; its grant has ended.
  } kind = Kind::unknown;
  Grant grant = {};     ///< Set for a known code.
  GrantCode code = {};  ///< Set for a known code.
};

/// Grants of front doors and their tokens, in the state file. The end of a grant deletes its codes
/// and tokens in the same transaction.
///
/// Tokens and codes are stored only as their SHA-256. The provider's tokens are sealed.
///
/// Errors: those of `Store`; overloaded if there are `limits::grants_max` grants.
class Grants {
 public:
  explicit Grants(Store& store) : store_(store) {}

  /// Stores a grant and its code. If its user has the maximum number, the oldest grants end.
  /// Returns their ids.
  Task<Result<std::vector<std::string>>> add(Loop& loop, Grant grant, GrantCode code,
                                             std::int64_t now);
  /// Uses a code. A second use ends its grant.
  /// Source: RFC 6749 §4.1.2, §10.5.
  Task<Result<UsedCode>> use_code(Loop& loop, std::string digest, std::int64_t now);
  /// Stores the first tokens of a grant. False if it has ended meanwhile.
  Task<Result<bool>> add_tokens(Loop& loop, std::string grant, GrantTokens tokens,
                                std::int64_t now);
  /// The valid grant with that id.
  Task<Result<std::optional<Grant>>> find(Loop& loop, std::string id, std::int64_t now);
  /// Replaces the refresh token of a grant with other tokens, and stores its `claims` unless they
  /// are empty. False, without changes, if `refresh` is no longer the valid one.
  /// Source: RFC 9700 §4.14.2.
  Task<Result<bool>> rotate(Loop& loop, Grant grant, GrantTokens tokens, std::int64_t now);
  /// The grant of a valid access token, and the end of that token.
  struct Found {
    Grant grant;
    std::int64_t access_ends = 0;
  };
  Task<Result<std::optional<Found>>> find_access(Loop& loop, std::string digest, std::int64_t now);
  /// The valid grant of an access token or of its valid refresh token. Reads all grants.
  /// Input: SHA-256 of the token, hexadecimal.
  Task<Result<std::optional<Grant>>> find_token(Loop& loop, std::string digest, std::int64_t now);
  /// Ends a grant, and returns it; nothing if there is none.
  Task<Result<std::optional<Grant>>> end(Loop& loop, std::string id);
  /// Ends a user's grants. Returns their ids.
  Task<Result<std::vector<std::string>>> end_all_of(Loop& loop, std::string principal);

 private:
  Store& store_;
};

}  // namespace bartizan
