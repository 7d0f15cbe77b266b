#pragma once

#include <memory>
#include <string>

#include "gateway/client/wire_exchange.h"
#include "gateway/dialect/fabricore_answer.h"

namespace bartizan {

/// One request of a Fabricore orchestrator. Only its response is sent, with Fabricore's members.
///
/// Threads: those of its client.
class FabricoreExchange final : public WireExchange {
 public:
  /// Input: `asked`, not null.
  FabricoreExchange(std::shared_ptr<WireClient> client, std::string id_json, Era era,
                    std::shared_ptr<const FabricoreRequest> asked);
  FabricoreExchange(const FabricoreExchange&) = delete;
  FabricoreExchange& operator=(const FabricoreExchange&) = delete;
  ~FabricoreExchange() override;

  void finish(Answer answer) override;

 private:
  std::shared_ptr<const FabricoreRequest> asked_;
};

}  // namespace bartizan
