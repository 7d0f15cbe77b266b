#include "policy/check/check_task.h"

#include <algorithm>

namespace bartizan {
namespace {

/// What a request has to do with tasks.
enum class About : std::uint8_t { nothing, one_task, news_of_tasks, no_such_method };

About about(const Message& message, Era era) {
  if (is_about_task(message.known->id)) {
    return era == Era::modern ? About::one_task : About::no_such_method;
  }
  switch (message.known->id) {
    case MethodId::tasks_result:
    case MethodId::tasks_list:
      return About::no_such_method;
    case MethodId::subscriptions_listen:
      return message.params.find("notifications").find("taskIds") ? About::news_of_tasks
                                                                  : About::nothing;
    default:
      return About::nothing;
  }
}

}  // namespace

Decision check_task(const Call& call) {
  if (call.direction != Direction::client_to_server || !call.message.is_request()) {
    return Decision::pass();
  }
  const About subject = about(call.message, call.era);
  if (subject == About::nothing) return Decision::pass();
  if (subject == About::no_such_method) return Decision::deny(Reason::method_not_found);
  if (!declares_tasks(call.message.meta)) return Decision::deny(Reason::client_capability_missing);
  const JsonValue followed = call.message.params.find("notifications").find("taskIds");
  const bool are_texts =
      !followed || (followed.is(JsonType::array) &&
                    std::all_of(followed.begin(), followed.end(),
                                [](JsonValue id) { return id.is(JsonType::string); }));
  if (!are_texts) return Decision::deny(Reason::invalid_params, nullptr, "/notifications/taskIds");
  const bool is_strangers = subject == About::one_task && !call.facts.names_own_task;
  return is_strangers ? Decision::deny(Reason::task_unknown) : Decision::pass();
}

}  // namespace bartizan
