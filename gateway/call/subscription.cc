#include "gateway/call/subscription.h"

#include <utility>

#include "gateway/call/resource_names.h"
#include "gateway/identity/revocation_table.h"
#include "gateway/runtime/clock.h"
#include "schemas/message/listen_filter.h"

namespace bartizan {
namespace {

/// Resources that one session may follow.
constexpr std::size_t kSubscriptionsMax = 1000;
/// Longer than any level that MCP knows.
constexpr std::size_t kLevelBytesMax = 16;

std::uint64_t present_blocks(const CallFrame& frame) {
  const auto& table = frame.worker.gateway.revocations;
  return table == nullptr ? 0 : table->blocks_version();
}

}  // namespace

Subscription::Subscription(const CallFrame& frame)
    : views_(frame.worker.gateway.views.load()),
      blocks_(present_blocks(frame)),
      seen_{frame.inbound.snapshot, frame.worker.directory},
      servers_(participation(frame, frame.snapshot(), frame.principal())),
      named_(named_subscriptions(frame)) {
  const ListenFilter wanted = read_listen_filter(frame.message().params.find("notifications"));
  wanted_ = {.tools = wanted.tools, .prompts = wanted.prompts, .resources = wanted.resources};
}

Task<Subscription::Step> Subscription::look(const CallFrame& frame) {
  // A key may expire without any reload.
  const auto present = review_caller(frame);
  if (!present.has_value()) co_return Step{.ends = true};
  const std::uint64_t views = frame.worker.gateway.views.load();
  const std::uint64_t blocks = present_blocks(frame);
  const bool are_views_same = std::exchange(views_, views) == views;
  const bool are_blocks_same = std::exchange(blocks_, blocks) == blocks;
  if (are_views_same && are_blocks_same) co_return Step{};
  const View before = std::exchange(seen_, {frame.worker.snapshot, frame.worker.directory});
  ListChanges comparison(frame.worker, before);
  ChangedLists changed = co_await comparison.changed_for(
      *present, frame.inbound.caller.credential.endpoint, {}, frame.inbound.era);
  // What an operator blocks is in no view.
  if (!are_blocks_same) changed = {.tools = true, .prompts = true, .resources = true};
  std::string params = R"({"_meta":{")";
  params += meta_key::subscription_id;
  params += "\":" + frame.id_text + "}}";
  Step step;
  step.ends = participation(frame, *seen_.snapshot, **present) != servers_;
  if (changed.tools && wanted_.tools) step.messages.push_back(changed_tools(params));
  if (changed.prompts && wanted_.prompts) step.messages.push_back(changed_prompts(params));
  if (changed.resources && wanted_.resources) step.messages.push_back(changed_resources(params));
  co_return step;
}

void remember_followed(CallFrame& frame, const std::string& level) {
  if (frame.session == nullptr) return;
  auto& followed = frame.session->subscriptions;
  if (frame.method() == MethodId::resources_subscribe && followed.size() < kSubscriptionsMax) {
    followed.insert_or_assign({std::string(frame.call.server), frame.target.name},
                              frame.target.uri_form);
  }
  if (!level.empty() && level.size() <= kLevelBytesMax) frame.session->log_level = level;
  if (frame.method() == MethodId::resources_unsubscribe) {
    followed.erase({std::string(frame.call.server), frame.target.name});
  }
}

}  // namespace bartizan
