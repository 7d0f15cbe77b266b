#include "gateway/command/command_approvals.h"

#include <chrono>
#include <functional>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "gateway/command/format_approval.h"
#include "schemas/json/json_text.h"

#include "policy/text/printable.h"

namespace bartizan {
namespace {

using Act = ApprovalsOptions::Act;

constexpr int kOk = 200;
constexpr std::string_view kTarget = "/api/approvals";
constexpr std::chrono::seconds kLookAgain{1};
/// A request has parameters, which are nested as deeply as a message.
constexpr JsonLimits kAnswerLimits{.bytes_max = std::size_t{4} << 20,
                                   .values_max = limits::response_values_max,
                                   .depth_max = limits::json_depth_max + 8,
                                   .numbers = JsonLimits::Numbers::keep_as_text};

std::string name_of(Act act) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"list", "show", "approve", "deny", "watch"});
  return "approvals " + std::string(kNames[static_cast<std::size_t>(act)]);
}

bool is_id(std::string_view text) {
  return !text.empty() && text.size() <= 64 &&
         text.find_first_not_of("0123456789abcdef-") == text.npos;
}

/// One run of a command.
class Answering {
 public:
  Answering(const ApprovalsOptions& options, std::istream& input, const CommandOutput& output,
            ConsoleDoor door, std::string id)
      : options_(options),
        input_(input),
        output_(output),
        door_(std::move(door)),
        id_(std::move(id)) {}

  int run() {
    switch (options_.act) {
      case Act::list:
        return list();
      case Act::watch:
        return watch();
      case Act::show:
        return show();
      case Act::approve:
      case Act::deny:
        return decide();
    }
    return kExitUsage;
  }

 private:
  bool is_json() const { return output_.format == OutputFormat::json; }

  int refuse(std::string_view why) {
    output_.problems << fmt::format("bartizan {}: {}\n", name_of(options_.act), printable(why));
    return finish(output_, kExitFailed);
  }
  int refuse(const FetchedDocument& answer) {
    if (!is_json()) return refuse(reason_of_console(answer));
    output_.problems << answer.body;
    return finish(output_, kExitFailed);
  }

  /// Calls `tell` for each waiting or valid request. Returns the failed response, or nothing.
  Result<std::optional<FetchedDocument>> visit_open(const std::function<void(JsonValue)>& tell) {
    std::set<std::string> pages;
    std::string after;
    do {
      std::string target(kTarget);
      if (!after.empty()) target += "?after=" + after;
      auto answer = ask_console(door_, {.target = std::move(target)});
      if (!answer.has_value()) return std::unexpected(answer.error());
      const Bytes bytes{std::string_view(answer->body)};
      JsonDocument document;
      const Result<JsonValue> list = document.read(bytes, kAnswerLimits);
      if (answer->status != kOk || !list.has_value()) return std::optional(*std::move(answer));
      for (const JsonValue one : list->find("approvals"))
        tell(one);
      after = list->find("next").text();
      // A page that has disappeared meanwhile would restart the list.
    } while (is_id(after) && pages.insert(after).second);
    return std::optional<FetchedDocument>();
  }

  int list() {
    std::string lines;
    std::string objects;
    const auto wrong = visit_open([&](JsonValue one) {
      lines += approval_line(one);
      objects += fmt::format("{}{}", objects.empty() ? "" : ",", one.raw());
    });
    if (!wrong.has_value()) return refuse(wrong.error().detail);
    if (wrong->has_value()) return refuse(**wrong);
    if (is_json()) {
      output_.results << fmt::format("{{\"approvals\":[{}]}}\n", objects);
    } else {
      output_.results << (lines.empty() ? "no call waits for you\n" : lines);
    }
    return finish(output_, kExitDone);
  }

  int watch() {
    std::set<std::string> seen;
    for (bool is_first = true; output_.results.good(); is_first = false) {
      std::set<std::string> present;
      const auto wrong = visit_open([&](JsonValue one) {
        std::string id(one.find("id").text());
        const bool is_news = one.find("state").text() == "pending" && !seen.contains(id);
        present.insert(std::move(id));
        if (is_news) {
          output_.results << (is_json() ? std::string(one.raw()) + "\n" : approval_line(one));
        }
      });
      output_.results.flush();
      if (wrong.has_value() && wrong->has_value()) return refuse(**wrong);
      if (!wrong.has_value() && is_first) return refuse(wrong.error().detail);
      // A restarting gateway will be back soon.
      if (wrong.has_value()) seen = std::move(present);
      std::this_thread::sleep_for(kLookAgain);
    }
    return finish(output_, kExitDone);
  }

  std::string target() const { return fmt::format("{}/{}", kTarget, id_); }

  /// Writes one request from the console's response.
  bool tell(const FetchedDocument& answer) {
    if (is_json()) {
      output_.results << answer.body;
      return true;
    }
    const Bytes bytes{std::string_view(answer.body)};
    JsonDocument document;
    const Result<JsonValue> approval = document.read(bytes, kAnswerLimits);
    if (approval.has_value()) output_.results << approval_text(*approval);
    return approval.has_value();
  }

  int show() {
    const auto answer = ask_console(door_, {.target = target()});
    if (!answer.has_value()) return refuse(answer.error().detail);
    if (answer->status != kOk) return refuse(*answer);
    if (!tell(*answer)) return refuse("the answer cannot be read");
    return finish(output_, kExitDone);
  }

  /// Whether the person at the terminal confirms the shown request.
  bool is_confirmed() {
    output_.results << "Approve this call? [y/N] " << std::flush;
    std::string line;
    std::getline(input_, line);
    return line == "y" || line == "yes";
  }

  int decide() {
    const bool approves = options_.act == Act::approve;
    const auto seen = ask_console(door_, {.target = target()});
    if (!seen.has_value()) return refuse(seen.error().detail);
    if (seen->status != kOk) return refuse(*seen);
    if (approves && !options_.is_sure) {
      if (!tell(*seen)) return refuse("the answer cannot be read");
      if (!is_confirmed())
        return refuse(
            "not approved: the call is still pending; \"bartizan approvals deny\" refuses it");
    }
    std::string json = fmt::format(R"({{"decision":"{}")", approves ? "approve" : "deny");
    if (!options_.why.empty()) json += R"(,"why":)" + json_string(options_.why);
    const auto answer =
        ask_console(door_, {.target = target(), .json = json + "}", .if_match = seen->tag});
    if (!answer.has_value()) return refuse(answer.error().detail);
    if (answer->status != kOk) return refuse(*answer);
    if (is_json()) return tell(*answer) ? finish(output_, kExitDone) : kExitFailed;
    const Bytes bytes{std::string_view(answer->body)};
    JsonDocument document;
    const Result<JsonValue> approval = document.read(bytes, kAnswerLimits);
    if (!approval.has_value()) return refuse("the answer cannot be read");
    const bool is_counted = approval->find("state").text() == "pending";
    const std::string_view what = is_counted ? "counted: " : approves ? "approved: " : "denied: ";
    output_.results << what << approval_line(*approval);
    return finish(output_, kExitDone);
  }

  const ApprovalsOptions& options_;
  std::istream& input_;
  const CommandOutput& output_;
  ConsoleDoor door_;
  std::string id_;
};

}  // namespace

int answer_approvals(const ApprovalsOptions& options, std::istream& input,
                     const CommandOutput& output) {
  const auto refuse = [&](std::string_view why) {
    output.problems << fmt::format("bartizan {}: {}\n", name_of(options.act), why);
    return finish(output, kExitUsage);
  };
  const bool takes_id = options.act != Act::list && options.act != Act::watch;
  const bool takes_file = options.door.url.empty();
  std::vector<std::string> words = options.words;
  if (words.size() != std::size_t{takes_file} + std::size_t{takes_id}) {
    return refuse(fmt::format("requires {}{}, or --console URL instead of FILE", "FILE",
                              takes_id ? " ID" : ""));
  }
  std::string id;
  if (takes_id) {
    id = std::move(words.back());
    words.pop_back();
    if (!is_id(id)) return refuse("ID must be one that bartizan approvals list shows");
  }
  if (options.act == Act::approve && output.format == OutputFormat::json && !options.is_sure) {
    return refuse("--json does not ask: add --yes after you have seen the call");
  }
  ConsoleDoorOptions door = options.door;
  if (takes_file) door.config = words.front();
  Result<ConsoleDoor> opened = open_console_door(door);
  if (!opened.has_value()) return refuse(opened.error().detail);
  return Answering(options, input, output, *std::move(opened), std::move(id)).run();
}

}  // namespace bartizan
