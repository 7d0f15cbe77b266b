#pragma once

#include <string>
#include <string_view>

#include "gateway/call/call_frame.h"
#include "gateway/message/received_message.h"
#include "policy/check/compile_policy.h"
#include "policy/check/truncate_result.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// Decides whether a server's response may pass unchanged, and what the client gets otherwise.
///
/// Lifetime: within that of the frame, which speaks of the server that answered.
class AnswerVerdict {
 public:
  explicit AnswerVerdict(CallFrame& frame) : frame_(frame) {}

  /// Judges a tool's result, or its error. Other responses pass. Logs and counts what may not pass.
  void judge(const Message& answer);
  /// Withholds the whole response, for that reason.
  void withhold(Decision why);

  /// How the call ended, as the client sees it.
  Ending ending(const Message& answer) const;

  /// Whether the client gets something else than the server sent.
  bool is_withheld() const { return withheld_ != Policy::Withheld::nothing; }
  bool withholds_everything() const { return withheld_ == Policy::Withheld::everything; }
  /// Why it may not pass unchanged.
  Reason reason() const { return result_verdict_.reason; }
  /// The response without the withheld part. Input: something is withheld.
  std::string without_withheld(const ReceivedMessage& received) const;

 private:
  bool is_unjudged() const { return result_verdict_.reason == Reason::result_unjudged; }
  std::string_view told_withheld() const;
  void log_misfit() const;

  CallFrame& frame_;
  Decision result_verdict_ = Decision::pass();
  Policy::Withheld withheld_ = Policy::Withheld::nothing;
  TruncatedResult truncated_;  ///< The replacement of a result that is too large.
};

}  // namespace bartizan
