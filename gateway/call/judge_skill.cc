#include "gateway/call/judge_skill.h"

#include <string>
#include <utility>

#include "gateway/catalogue/catalogue.h"
#include "gateway/runtime/log.h"
#include "policy/check/check_skill.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

bool is_concerned(const CallFrame& frame, const Message& answer) {
  return frame.method() == MethodId::resources_read && answer.kind == MessageKind::response &&
         frame.target.server != nullptr && frame.target.upstream.key().era == Era::modern &&
         serves_skills(*frame.worker.directory, frame.call.server);
}

FindSkill finder_in(const ServerList& list) {
  return [&list](std::string_view uri) -> const SkillEntry* {
    const ListedEntry* entry = list.find(uri);
    return entry == nullptr ? nullptr : entry->skill.get();
  };
}

}  // namespace

Task<Decision> judge_skill(CallFrame& frame, const ReceivedMessage& received) {
  if (!is_concerned(frame, received.message)) co_return Decision::pass();
  Catalogue& catalogue = frame.worker.catalogue;
  std::string flaw;
  for (const auto freshness :
       {Catalogue::Freshness::usual, Catalogue::Freshness::refetch_if_older_than_a_second}) {
    const Result<ServerListPtr> fetched =
        co_await catalogue.get(frame.target.upstream, ListKind::skills, freshness);
    // What it listed last holds as long as it gives no other list.
    const ServerListPtr list = fetched.has_value()
                                   ? *fetched
                                   : catalogue.known(frame.target.upstream.key(), ListKind::skills);
    if (list == nullptr) co_return Decision::pass();
    flaw = skill_flaw(finder_in(*list), frame.call.target, received.message.result);
    if (flaw.empty()) co_return Decision::pass();
  }
  log(LogLevel::warning, "skill withheld",
      {{"server", std::string(frame.call.server)},
       {"detail", flaw},
       {"decision", std::string(frame.decision_id.view())}});
  frame.target.quarantine = std::move(flaw);
  co_return Decision::deny(Reason::skill_quarantined);
}

}  // namespace bartizan
