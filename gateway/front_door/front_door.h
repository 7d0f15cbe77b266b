#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "audit/record.h"
#include "gateway/front_door/client_document.h"
#include "gateway/front_door/front_door_request.h"
#include "gateway/front_door/sign_in_request.h"
#include "gateway/front_door/sign_ins.h"
#include "gateway/http/read_form.h"
#include "gateway/store/grants.h"
#include "gateway/store/pending_sign_ins.h"
#include "gateway/worker/worker.h"

namespace bartizan {

/// The time for a sign-in, and the lifetime of a code, in seconds.
inline constexpr std::int64_t kSignInSeconds = 600;
inline constexpr std::int64_t kCodeSeconds = 60;
/// The longest `access_token_lifetime` that a configuration can have. After that time every token
/// has expired.
inline constexpr std::int64_t kAccessTokenSecondsMax = 86'400;

/// One request to a front door. A front door is an authorization server that issues its own tokens
/// to MCP clients after their users have signed in at the provider. The provider's tokens never
/// leave the gateway.
///
/// Threads: those of the worker.
/// Source:  RFC 6749; RFC 7636; RFC 8414; RFC 8707; RFC 9207; RFC 9700; MCP 2026-07-28,
/// basic/authorization, and "Security Best Practices", "Confused Deputy Problem".
class FrontDoor {
 public:
  /// Lifetime: within those of the worker and of what the request views.
  FrontDoor(Worker& worker, Store& store, SignIns& sign_ins, FrontDoorRequest request);

  Task<FrontDoorAnswer> answer();

 private:
  // For browsers: sign_in.cc.
  Task<FrontDoorAnswer> authorize();
  Task<FrontDoorAnswer> begin(DoorClient client, const Form& query);
  Task<FrontDoorAnswer> ask_or_forward(DoorClient client, SignInRequest request);
  Task<FrontDoorAnswer> consent();
  Task<FrontDoorAnswer> forward(PendingSignIn pending, SignInRequest request, bool is_form);
  Task<FrontDoorAnswer> callback();
  Task<FrontDoorAnswer> come_back(SignInRequest request, Form query);
  Task<FrontDoorAnswer> grant(SignInRequest request, std::string claims, std::string renewal);
  Task<std::optional<FrontDoorAnswer>> keep_grant(const SignInRequest& request, const Grant& grant,
                                                  GrantCode code);
  std::optional<FrontDoorAnswer> find_form_flaw() const;

  FrontDoorAnswer stop(int status, Reason reason, std::string sentence,
                       std::string detail = {}) const;
  FrontDoorAnswer send_back(const SignInRequest& request, std::string_view error,
                            std::string detail, Reason reason = Reason::sign_in_refused) const;
  std::string client_url(const SignInRequest& request, std::string_view name,
                         std::string value) const;
  std::string cookie_name(std::string_view id = "") const;
  std::optional<std::string> cookie(const std::string& name) const;
  std::pair<std::string_view, std::string> set_cookie(const std::string& name,
                                                      std::string_view value,
                                                      std::int64_t seconds) const;
  bool is_of_browser(const PendingSignIn& pending) const;

  // For clients: tokens.cc.
  Task<FrontDoorAnswer> token();
  Task<FrontDoorAnswer> exchange_code(Form form);
  Task<FrontDoorAnswer> refresh(Form form);
  Task<FrontDoorAnswer> renew(Grant grant, std::string secret);
  Task<FrontDoorAnswer> revoke();
  Task<FrontDoorAnswer> register_client();
  FrontDoorAnswer metadata() const;
  FrontDoorAnswer give(const Grant& grant, const std::string& access,
                       const std::string& refresh) const;
  FrontDoorAnswer refuse(std::string_view error, std::string description,
                         Reason reason = Reason::sign_in_refused, int status = 400) const;
  FrontDoorAnswer unavailable(std::string_view what) const;
  /// Ends and records a grant. Its tokens are refused everywhere from then on.
  Task<void> end_grant(Grant grant, std::string why);
  /// Records the end of a grant that the state file no longer has.
  Task<void> note_end(Grant grant, std::string why);

  // For both.
  const EndpointConfig* find_endpoint(std::string_view resource) const;
  std::vector<const EndpointConfig*> endpoints() const;
  Task<Result<Form>> read_form_body();
  /// Whether an operator revoked the grant, or revoked or blocked its user.
  bool is_kept_out(const Grant& grant) const;
  /// Records a grant, and waits for that. Input: the client's name for itself, if it is known.
  Task<bool> record(RecordKind kind, const Grant& grant, std::string detail,
                    std::string client_name = {});

  Worker& worker_;
  Store& store_;
  SignIns& sign_ins_;
  FrontDoorRequest request_;
  const FrontDoorConfig& door_;
  std::int64_t now_;
};

}  // namespace bartizan
