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
/// Grants of front doors that hold at a time, and those of one user; of him the oldest ends first.
inline constexpr std::int64_t grants_max = 20'000;
inline constexpr std::int64_t grants_of_principal_max = 32;
/// Access tokens of one grant that are valid at a time: clients refresh early, and side by side.
inline constexpr std::int64_t access_tokens_of_grant_max = 4;
}  // namespace limits

/// What a user granted to a client at a front door.
struct Grant {
  std::string id = {};         ///< Unpredictable, and no secret: it proves nothing.
  std::string door = {};       ///< Name of the front door.
  std::string principal = {};  ///< `NAME:VALUE`
  std::string client = {};     ///< Its id.
  std::string resource = {};   ///< Of the endpoint that its tokens are for.
  std::string scopes = {};     ///< With blanks between.
  std::string claims = {};     ///< What the provider said of the user, as a JSON object.
  /// What the gateway asks the provider by when the client refreshes, sealed; empty: it cannot.
  std::string provider_token = {};
  /// SHA-256 of the refresh token that is valid, hexadecimal; empty: none is.
  std::string refresh = {};
  /// Keys what shows that a refresh token was one of this grant, hexadecimal: so that one that was
  /// used is known without being kept. It makes no token valid.
  std::string refresh_key = {};
  std::int64_t ends = 0;  ///< Seconds since 1970.

  bool operator==(const Grant&) const = default;
};

/// A code that was given to a client, for the tokens of a grant. Used once.
struct GrantCode {
  std::string digest = {};     ///< SHA-256 of the code, hexadecimal.
  std::string redirect = {};   ///< As the client asked for it.
  std::string challenge = {};  ///< `code_challenge` of PKCE.
  std::int64_t ends = 0;
};

/// Tokens that a client gets for a grant, by their SHA-256, hexadecimal.
struct GrantTokens {
  std::string access = {};
  std::int64_t access_ends = 0;
  std::string refresh = {};         ///< Empty: none is given.
  std::string provider_token = {};  ///< Sealed for the refresh token; as in `Grant`.
};

/// What became of a code.
struct UsedCode {
  enum class Kind : std::uint8_t {
    unknown,  ///< There is no such code, or its time is over.
    first,    ///< It was used now.
    again     ///< It had been used before: its grant has ended.
  } kind = Kind::unknown;
  Grant grant = {};     ///< Where the code is known.
  GrantCode code = {};  ///< Where it is known.
};

/// Grants of front doors and their tokens, in the state file. What ends a grant makes its codes and
/// tokens unknown in the same transaction.
///
/// Tokens and codes are there by their SHA-256 alone; what the provider gave is sealed.
///
/// Errors: those of `Store`; overloaded where `limits::grants_max` hold.
class Grants {
 public:
  explicit Grants(Store& store) : store_(store) {}

  /// Keeps a grant and its code. Where its user has as many as may be, the oldest ends; their ids
  /// are answered.
  Task<Result<std::vector<std::string>>> add(Loop& loop, Grant grant, GrantCode code,
                                             std::int64_t now);
  /// Uses a code. One that was used before ends its grant.
  /// Source: RFC 6749 §4.1.2, §10.5.
  Task<Result<UsedCode>> use_code(Loop& loop, std::string digest, std::int64_t now);
  /// Keeps the first tokens of a grant. False where it has ended meanwhile.
  Task<Result<bool>> add_tokens(Loop& loop, std::string grant, GrantTokens tokens,
                                std::int64_t now);
  /// The grant of that id, if it holds.
  Task<Result<std::optional<Grant>>> find(Loop& loop, std::string id, std::int64_t now);
  /// Puts other tokens in the place of the refresh token of a grant, and keeps its `claims` unless
  /// they are empty. False, and nothing is changed, where `refresh` is not the valid one any more.
  /// Source: RFC 9700 §4.14.2.
  Task<Result<bool>> rotate(Loop& loop, Grant grant, GrantTokens tokens, std::int64_t now);
  /// The grant of an access token that holds, and when that token ends.
  struct Found {
    Grant grant;
    std::int64_t access_ends = 0;
  };
  Task<Result<std::optional<Found>>> find_access(Loop& loop, std::string digest, std::int64_t now);
  /// The grant of an access token or of its valid refresh token, if it holds. Reads all grants.
  /// Input: SHA-256 of the token, hexadecimal.
  Task<Result<std::optional<Grant>>> find_token(Loop& loop, std::string digest, std::int64_t now);
  /// Ends a grant, and answers it; nothing where there is none.
  Task<Result<std::optional<Grant>>> end(Loop& loop, std::string id);
  /// Ends the grants of a user, and answers their ids.
  Task<Result<std::vector<std::string>>> end_all_of(Loop& loop, std::string principal);

 private:
  Store& store_;
};

}  // namespace bartizan
