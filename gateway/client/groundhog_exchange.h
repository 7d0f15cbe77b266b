#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "gateway/client/wire_exchange.h"
#include "gateway/dialect/groundhog_answer.h"

namespace bartizan {

/// One request of a Groundhog client. Only its response is sent, with Groundhog's members.
///
/// Threads: those of its client.
class GroundhogExchange final : public WireExchange {
 public:
  /// Input: `asked`, not null.
  GroundhogExchange(std::shared_ptr<WireClient> client, std::string id_json, Era era,
                    std::shared_ptr<const GroundhogRequest> asked);
  GroundhogExchange(const GroundhogExchange&) = delete;
  GroundhogExchange& operator=(const GroundhogExchange&) = delete;
  ~GroundhogExchange() override;

  void finish(Answer answer) override;
  void on_decision(std::string_view decision_id, std::span<const std::string> permissions) override;

 private:
  std::shared_ptr<const GroundhogRequest> asked_;
  GroundhogAnswered answered_;
  std::chrono::steady_clock::time_point begun_;
};

}  // namespace bartizan
