#pragma once

#include <array>
#include <cstddef>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/console/check_console.h"
#include "gateway/console/console_access.h"
#include "gateway/console/console_pages.h"
#include "gateway/console/console_sessions.h"
#include "gateway/console/provider_sign_ins.h"
#include "gateway/console/sign_in_attempts.h"
#include "gateway/http/http_head.h"
#include "gateway/http/read_form.h"
#include "gateway/http/write_http.h"
#include "gateway/store/approvals.h"
#include "gateway/worker/worker.h"

namespace bartizan {

namespace limits {
/// The most bytes of a reason for an approval or denial.
inline constexpr std::size_t approval_why_bytes_max = 1024;
}  // namespace limits

/// One request to the console.
struct ConsoleRequest {
  const RequestHead& head;  ///< Outlives the response.
  std::string peer;         ///< `ip:port`.
  std::string address;      ///< The address that attempts and refusals are counted by.
  bool is_encrypted = false;
  /// Reads the body of a form; may be called once, after all other checks.
  std::function<Task<Result<std::string>>()> read_body;
};

struct ConsoleAnswer {
  int status = 200;
  std::string content_type = "text/html; charset=utf-8";
  std::string body = {};
  std::vector<std::pair<std::string_view, std::string>> headers =
      {};  ///< In addition to `kConsoleHeaders`.
};

/// A page.
ConsoleAnswer console_page(std::string html, int status = 200);

/// Redirects the browser to another page by GET. Source: RFC 9110 §15.4.4.
ConsoleAnswer see_other_page(std::string_view path);

/// An answer to a call that waits for approval.
struct ApprovalOrder {
  std::string id = {};
  bool approves = false;
  std::string why = {};
  std::optional<std::string> match = {};  ///< The value of `If-Match`: the state that was seen.
};

/// The headers of every response of the console.
///
/// `no-referrer` would make browsers send `Origin: null` with its forms (Fetch, "append a request
/// `Origin` header"). So the console's own pages get the referrer, and no others.
inline constexpr std::array kConsoleHeaders{
    HeaderLine{"Content-Security-Policy",
               "default-src 'none'; style-src 'self'; form-action 'self'; "
               "frame-ancestors 'none'; base-uri 'none'"},
    HeaderLine{"X-Content-Type-Options", "nosniff"},
    HeaderLine{"Referrer-Policy", "same-origin"},
    HeaderLine{"Cache-Control", "no-store"},
    HeaderLine{"Cross-Origin-Opener-Policy", "same-origin"},
    HeaderLine{"Cross-Origin-Resource-Policy", "same-origin"},
};

/// The console: its sign-ins, pages and actions. Each request checks again that the key of its
/// session still proves the same principal, and that the principal still has one of the roles. Both
/// checks use the current configuration. GET and HEAD change nothing.
///
/// Threads: those of `loop`, the control loop.
class Console {
 public:
  Console(Loop& loop, Gateway& gateway) : loop_(loop), gateway_(gateway) {}

  /// Answers one request. Nothing if its body could not be read; the connection is then over.
  Task<std::optional<ConsoleAnswer>> answer(ConsoleRequest request);

 private:
  /// The operator of a request.
  struct Operating {
    ConsoleSession* session = nullptr;
    std::string id = {};
    ConsoleAccess access = ConsoleAccess::none;
    explicit operator bool() const { return session != nullptr; }
    PageReader reader() const;
  };
  /// A reader of approvals, in a browser or a program.
  struct Asker {
    PrincipalPtr principal;  ///< Never null.
    std::string proof;
    Credential credential;  ///< Checked again later.
    ConsoleAccess access = ConsoleAccess::approvals;
  };
  /// A refused request: the facts for the record and the page.
  struct Refused {
    int status = 403;
    Reason reason = Reason::none;
    std::string why = {};
    std::string principal = {};
    std::string proof = {};
    bool has_session = false;
    std::string then = {};   ///< The page that a sign-in was requested for.
    std::string link = "/";  ///< The link of the refusal's page.
    std::string link_text = "To the console";
  };
  /// The result of an answer: the request's state, or why it was refused.
  struct GivenAnswer {
    std::optional<Approvals::Found> found = {};
    Refused refused = {};
  };
  struct Listed {
    std::vector<ApprovalRequest> requests = {};
    std::string next = {};  ///< The id after which there may be more; empty for none.
  };
  static constexpr std::string_view kMayNotEnter =
      "none of the roles of the principal is in [console] roles, and it may approve nothing";
  static constexpr std::string_view kNotKept =
      "It cannot be done while the record or the state file fails.";

  Task<SnapshotPtr> present_snapshot();
  std::optional<ConsoleAnswer> refuse_flaw(const ConsoleRequest& request, const Snapshot& snapshot);
  static Asker asker_of(const Operating& who);
  Operating find_operator(const ConsoleRequest& request, const Snapshot& snapshot);
  ConsoleAnswer refuse_approver(const ConsoleRequest& request, const Snapshot& snapshot,
                                const Operating& who);
  Task<ConsoleAnswer> show(ConsoleRequest request, SnapshotPtr snapshot);
  Task<ConsoleAnswer> act(ConsoleRequest request, SnapshotPtr snapshot, Form form);
  Task<ConsoleAnswer> sign_in(const ConsoleRequest& request, SnapshotPtr snapshot,
                              const Form& form);
  Task<ConsoleAnswer> begin_at_provider(const ConsoleRequest& request, SnapshotPtr snapshot,
                                        const Form& form);
  ConsoleAnswer show_callback(const ConsoleRequest& request, const Snapshot& snapshot);
  Task<ConsoleAnswer> come_back(const ConsoleRequest& request, SnapshotPtr snapshot,
                                const Form& form);
  ConsoleAnswer let_in(const ConsoleRequest& request, const Snapshot& snapshot,
                       const Authenticated& proved, std::string_view then);
  ConsoleAnswer sign_in_page(const Snapshot& snapshot, std::string_view error, int status,
                             std::string_view then = {}) const;
  ConsoleAnswer refuse_sign_in(const ConsoleRequest& request, const Snapshot& snapshot,
                               const Refused& refused);
  ConsoleAnswer sign_out(const ConsoleRequest& request, const Snapshot& snapshot,
                         const Operating& who);
  Task<ConsoleAnswer> release(ConsoleRequest request, SnapshotPtr snapshot, Form form,
                              Operating who);
  // Revocations (answer_revocations.cc).
  Task<ConsoleAnswer> revoke(ConsoleRequest request, SnapshotPtr snapshot, Form form,
                             Operating who);
  Task<ConsoleAnswer> lift(ConsoleRequest request, SnapshotPtr snapshot, Form form, Operating who);
  // Tools that clients registered (answer_registrations.cc).
  Task<ConsoleAnswer> decide_on_registration(ConsoleRequest request, SnapshotPtr snapshot,
                                             Form form, Operating who);
  // Calls that wait for approval (answer_approvals.cc).
  Task<Result<Listed>> list_approvals(SnapshotPtr snapshot, Asker asker, std::string after);
  Task<Result<std::optional<Approvals::Found>>> find_approval(SnapshotPtr snapshot, Asker asker,
                                                              std::string id);
  Task<ConsoleAnswer> show_approvals(ConsoleRequest request, SnapshotPtr snapshot, Asker asker,
                                     PageReader reader);
  Task<std::expected<Asker, ConsoleAnswer>> prove_program(const ConsoleRequest& request,
                                                          SnapshotPtr snapshot);
  Task<ConsoleAnswer> show_to_program(ConsoleRequest request, SnapshotPtr snapshot);
  static ConsoleAnswer tell_program(const Snapshot& snapshot, const Approvals::Found& found,
                                    const Principal& reader);
  Task<ConsoleAnswer> take_from_program(ConsoleRequest request, SnapshotPtr snapshot,
                                        std::string body);
  Task<ConsoleAnswer> take_answer(ConsoleRequest request, SnapshotPtr snapshot, Form form,
                                  Asker asker);
  Task<GivenAnswer> give_answer(const ConsoleRequest& request, Asker asker, ApprovalOrder order);
  ConsoleAnswer refuse_store(const ConsoleRequest& request, const Snapshot& snapshot);
  Task<ConsoleStatus> look();
  ConsoleAnswer refuse(const ConsoleRequest& request, const Snapshot& snapshot,
                       const Refused& refused);
  std::string note(const ConsoleRequest& request, const Snapshot& snapshot, const Refused& refused);
  bool record(RecordKind kind, const ConsoleRequest& request, const Snapshot& snapshot,
              const Principal& principal, std::string_view proof);

  Loop& loop_;
  Gateway& gateway_;
  Random random_;
  ConsoleSessions sessions_;
  SignInAttempts attempts_;
  ProviderSignIns provider_sign_ins_;
};

}  // namespace bartizan
