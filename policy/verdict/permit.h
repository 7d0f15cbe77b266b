#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/verdict/decision.h"
#include "schemas/base/bytes.h"
#include "schemas/message/splice.h"

namespace bartizan {

class Policy;

/// Messages that the gateway itself sends to servers. A closed list: they contain nothing of a
/// client's.
enum class GatewayMessage : std::uint8_t {
  initialize,
  initialized,
  server_discover,
  tools_list,
  resources_list,
  resources_templates_list,
  prompts_list,
  skills_list,
  cancelled,
  ping_answer,
  refusal,  ///< An error to a request of the server's that was not passed on.
  logging_set_level,
  resources_subscribe,
  resources_unsubscribe,
  subscriptions_listen,
  tasks_cancel,  ///< For a task that no client knows.
};

/// Proof that a message was permitted. Only `Pipeline` makes a permit for a client's message, and
/// an upstream accepts nothing else. So no unjudged message can leave. The permit holds the judged
/// bytes, which nobody can change, so no other body can be sent with it. It keeps the policy that
/// judged them alive. After a move it is empty, and an upstream refuses an empty one.
///
/// Source: README.md, "What is promised"; DESIGN.md, "Terms".
class Permit {
 public:
  Permit(Permit&& other) noexcept
      : bytes_(std::exchange(other.bytes_, {})),
        splices_(std::move(other.splices_)),
        rule_(std::exchange(other.rule_, nullptr)),
        policy_(std::move(other.policy_)),
        observed_(std::move(other.observed_)),
        own_(std::exchange(other.own_, std::nullopt)) {}
  Permit& operator=(Permit&& other) noexcept;
  Permit(const Permit&) = delete;
  Permit& operator=(const Permit&) = delete;
  ~Permit() = default;

  /// A message of the gateway itself. The caller encodes `message` from constants, negotiated
  /// values and judged URIs. Its record has the principal `gateway`.
  static Permit own(GatewayMessage kind, std::string message);

  /// This message again, for a server that needs it with its client's answers. Cost: the bytes are
  /// shared.
  Permit repeat() const;
  /// One value of the judged message, as the result of a server's request. The value is the
  /// client's answer to that request. Input: `value`, the range of one JSON value in the judged
  /// bytes; the server's own id.
  Permit as_answer(ByteRange value, std::string_view id_json) const;

  bool empty() const { return bytes_.empty(); }
  std::string_view bytes() const { return bytes_.view(); }
  const RuleInfo* rule() const { return rule_; }
  /// Which of the gateway's own messages it is; nothing for a judged one.
  std::optional<GatewayMessage> own_kind() const { return own_; }
  /// Refusals that observed rules would have given.
  const std::vector<Decision>& observed() const { return observed_; }

  /// Adds an identity-preserving replacement. The enum of kinds is closed; see
  /// schemas/message/splice.h.
  void splice(SpliceKind kind, ByteRange range, std::string replacement);
  const std::vector<Splice>& splices() const { return splices_; }
  /// The judged bytes with the splices applied: what goes on the wire. Cost: one copy.
  std::string wire() const;

 private:
  friend class Pipeline;
  Permit(SealedBytes bytes, const RuleInfo* rule, std::shared_ptr<const Policy> policy,
         std::vector<Decision> observed)
      : bytes_(std::move(bytes)),
        rule_(rule),
        policy_(std::move(policy)),
        observed_(std::move(observed)) {}

  SealedBytes bytes_;
  std::vector<Splice> splices_;
  const RuleInfo* rule_ = nullptr;
  std::shared_ptr<const Policy> policy_;
  std::vector<Decision> observed_;
  std::optional<GatewayMessage> own_;
};

}  // namespace bartizan
