#include "gateway/console/provider_sign_ins.h"

#include <algorithm>
#include <utility>

namespace bartizan {

void ProviderSignIns::add(std::string state_digest, ProviderSignIn sign_in, Clock::time_point now) {
  std::erase_if(all_, [now](const auto& one) {
    return now - one.second.begun >= limits::console_provider_sign_in_max;
  });
  if (all_.size() >= limits::console_provider_sign_ins_max) {
    all_.erase(
        std::ranges::min_element(all_, {}, [](const auto& one) { return one.second.begun; }));
  }
  sign_in.begun = now;
  all_.insert_or_assign(std::move(state_digest), std::move(sign_in));
}

std::optional<ProviderSignIn> ProviderSignIns::take(std::string_view state_digest,
                                                    Clock::time_point now) {
  const auto found = all_.find(state_digest);
  if (found == all_.end()) return std::nullopt;
  ProviderSignIn taken = std::move(found->second);
  all_.erase(found);
  if (now - taken.begun >= limits::console_provider_sign_in_max) return std::nullopt;
  return taken;
}

}  // namespace bartizan
