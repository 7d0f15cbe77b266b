#include "gateway/console/approval_pages.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "gateway/approval/shown_call.h"
#include "gateway/console/approval_view.h"
#include "gateway/console/check_console.h"
#include "gateway/console/console_page_parts.h"
#include "gateway/http/shown_text.h"
#include "gateway/status/revocation_pages.h"
#include "policy/text/character_kind.h"
#include "policy/text/name_looks.h"
#include "schemas/json/json.h"

namespace bartizan {
namespace {

/// How often a live page refreshes itself, in seconds.
constexpr int kLiveEvery = 5;

/// The most different letters of one text that are checked.
constexpr std::size_t kLookAlikesMax = 256;

/// A shown call contains parameters, which may be as deep as in a message.
constexpr JsonLimits kShownLimits{.bytes_max = limits::shown_call_bytes_max,
                                  .values_max = limits::response_values_max,
                                  .depth_max = limits::json_depth_max + 4,
                                  .numbers = JsonLimits::Numbers::keep_as_text};

std::string live_element(bool is_live, std::string_view path) {
  if (!is_live) return "";
  return fmt::format("<meta http-equiv=\"refresh\" content=\"{}; url={}{}\">\n", kLiveEvery,
                     escaped_html(path), kByItself);
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// The letters of a text that look like ASCII letters but are not, for a warning.
std::string look_alikes(std::string_view text) {
  static const NameLooks kLooks;
  if (is_ascii(text)) return "";
  std::set<char32_t> seen;
  std::string found;
  for (std::size_t at = 0; at < text.size() && seen.size() < kLookAlikesMax;) {
    const ReadCharacter read = read_character(text, at);
    const std::string_view letter = text.substr(at, read.size);
    at += read.size;
    if (read.value < 0x80 || read.value == kNoCharacter || !seen.insert(read.value).second)
      continue;
    const std::string skeleton = kLooks.skeleton(letter);
    if (skeleton.empty() || !is_ascii(skeleton)) continue;
    found += fmt::format(" U+{:04X}", static_cast<std::uint32_t>(read.value));
  }
  if (found.empty()) return found;
  return " <span class=\"mark\">[looks like ASCII, but is not:" + found + "]</span>";
}

/// A text that is never cut: an approver must see all of it.
std::string whole(std::string_view text) {
  return shown_text(text, limits::shown_call_bytes_max) + look_alikes(text);
}

std::string time_of(std::int64_t seconds) {
  return time_text(std::chrono::sys_seconds(std::chrono::seconds(seconds)));
}

std::string left_of(std::int64_t seconds) {
  if (seconds <= 0) return "over";
  if (seconds < 120) return fmt::format("{} s left", seconds);
  return fmt::format("{} min left", seconds / 60);
}

std::string place_of(const ApprovalRequest& request) {
  return fmt::format("{}/{}", whole(request.server), whole(request.target));
}

// --- JSON, as people read it --------------------------------------------------------------------

void append_value(std::string& html, JsonValue value);

/// Input: `list`, `ul` or `ol`.
void append_members(std::string& html, JsonValue value, std::string_view list) {
  html += fmt::format("<{} class=\"json\"{}>\n", list, list == "ol" ? " start=\"0\"" : "");
  for (const JsonValue member : value) {
    html += "<li>";
    if (list == "ul") html += "<span class=\"name\">" + whole(member.key()) + "</span> ";
    append_value(html, member);
    html += "</li>\n";
  }
  html += fmt::format("</{}>\n", list);
}

void append_value(std::string& html, JsonValue value) {
  const bool is_empty = value.begin() == value.end();
  if (value.is(JsonType::object) && !is_empty) return append_members(html, value, "ul");
  if (value.is(JsonType::array) && !is_empty) return append_members(html, value, "ol");
  if (value.is(JsonType::string) && !value.text().empty()) {
    html +=
        "<span class=\"quiet\">text</span> <div class=\"value\">" + whole(value.text()) + "</div>";
    return;
  }
  html += "<code>" + escaped_html(value.raw()) + "</code>";
}

std::string value_html(JsonValue value) {
  std::string html;
  append_value(html, value);
  return html + "\n";
}

/// The members of an object except two, which are shown elsewhere.
std::string further_members(JsonValue params) {
  std::string html;
  for (const JsonValue member : params) {
    if (member.key() == "name" || member.key() == "arguments") continue;
    html += "<li><span class=\"name\">" + whole(member.key()) + "</span> ";
    append_value(html, member);
    html += "</li>\n";
  }
  return html.empty() ? html : "<ul class=\"json\">\n" + html + "</ul>\n";
}

std::string readings_html(JsonValue readings) {
  if (readings.begin() == readings.end()) return "";
  std::string html =
      "<h2>As the gateway reads it</h2>\n<p class=\"quiet\">The gateway decides by this, "
      "however the text below looks.</p>\n<dl class=\"readings\">\n";
  for (const JsonValue one : readings) {
    html += fmt::format("<div><dt>{} <span class=\"quiet\">{}</span></dt><dd>{}</dd></div>\n",
                        whole(one.find("pointer").text()), escaped_html(one.find("kind").text()),
                        "<div class=\"value\">" + whole(one.find("reading").text()) + "</div>");
  }
  return html + "</dl>\n";
}

std::string tool_html(JsonValue tool) {
  if (!tool) return "";
  std::string html =
      "<h2>The tool</h2>\n<p class=\"quiet\">In the words of its server.</p>\n<dl>\n";
  html += row("Name", whole(tool.find("name").text()));
  if (tool.find("title")) html += row("Title", whole(tool.find("title").text()));
  if (tool.find("description")) {
    html += row("Description", whole(tool.find("description").text()));
  }
  return html + "</dl>\n";
}

std::string arguments_html(JsonValue call) {
  const JsonValue params = call.find("params");
  const JsonValue arguments = params.find("arguments");
  std::string html = "<h2>Arguments</h2>\n";
  html += arguments ? value_html(arguments) : "<p>It has none.</p>\n";
  if (const std::string more = further_members(params); !more.empty()) {
    html += "<h2>What else is sent</h2>\n" + more;
  }
  if (const JsonValue sent_as = call.find("sent_as")) {
    html += "<h2>As it is sent</h2>\n<p>The policy changes the call before it is sent.</p>\n" +
            value_html(sent_as);
  }
  if (call.find("has_secrets")) {
    html +=
        "<p class=\"box warn\">The call is sent with values that are not shown: tokens in it "
        "replace secrets.</p>\n";
  }
  return html;
}

std::string history_html(JsonValue history) {
  std::string html = "<h2>Calls of this session before it</h2>\n";
  if (history.begin() == history.end()) return html + "<p>None, as far as is known.</p>\n";
  html += "<ol>\n";
  for (const JsonValue line : history)
    html += "<li>" + whole(line.text()) + "</li>\n";
  return html + "</ol>\n";
}

/// The whole call, which is kept until the decision.
std::string call_html(const ApprovalRequest& request) {
  if (request.shown.empty()) {
    return "<h2>Arguments</h2>\n<p>They are not kept after the decision.</p>\n";
  }
  const Bytes bytes{std::string_view(request.shown)};
  JsonDocument document;
  const Result<JsonValue> call = document.read(bytes, kShownLimits);
  if (!call.has_value()) return "<h2>The call</h2>\n<pre>" + whole(request.shown) + "</pre>\n";
  return tool_html(call->find("tool")) + readings_html(call->find("readings")) +
         arguments_html(*call) + history_html(call->find("history"));
}

// --- One request --------------------------------------------------------------------------------

std::string terms_html(const ApprovalPage& page) {
  const ApprovalRequest& request = page.found.request;
  std::string html = "<dl>\n";
  html += row("What", fmt::format("<strong>{}</strong> <span class=\"quiet\">{}</span>",
                                  place_of(request), whole(request.method)));
  html += row("Who", whole(request.principal));
  if (!request.endpoint.empty()) html += row("Endpoint", whole(request.endpoint));
  html += row("Rule", whole(request.rule));
  html += row("Approvals", fmt::format("{} of {}", approved_by(page.found), request.needed));
  html += row("Asked", time_of(request.made_at));
  html += row("Ends", fmt::format("{} <span class=\"quiet\">{}</span>", time_of(request.ends_at),
                                  left_of(request.ends_at - page.now)));
  html += row("Policy", "<code>" + escaped_html(request.policy) + "</code>");
  html += row("Digest", "<code>" + escaped_html(request.digest) + "</code>");
  return html + "</dl>\n";
}

std::string answers_html(const Approvals::Found& found) {
  if (found.answers.empty()) return "";
  std::string html = "<h2>Answers</h2>\n<ul>\n";
  for (const ApprovalAnswer& answer : found.answers) {
    html += fmt::format("<li>{} {} at {}", whole(answer.approver),
                        answer.approves ? "approved" : "denied", time_of(answer.at));
    if (!answer.why.empty()) html += ": " + whole(answer.why);
    html += "</li>\n";
  }
  return html + "</ul>\n";
}

std::string answer_form(const ApprovalPage& page, const PageReader& reader) {
  return fmt::format(
      "<h2>Your answer</h2>\n<form method=\"post\" action=\"/approvals/{}\" class=\"tall\">\n{}{}\n"
      "<label for=\"why\">Why</label>\n"
      "<input id=\"why\" name=\"why\" maxlength=\"256\" autocomplete=\"off\" "
      "aria-describedby=\"why-help\">\n"
      "<p class=\"quiet\" id=\"why-help\">It goes on record with your name; no secret. The Enter "
      "key "
      "denies.</p>\n"
      "<p class=\"choices\"><button type=\"submit\" name=\"decision\" "
      "value=\"deny\">Deny</button>\n"
      "<button type=\"submit\" name=\"decision\" value=\"approve\" class=\"plain\">Approve this "
      "call</button></p>\n</form>\n",
      escaped_html(page.found.request.id), hidden_field("csrf", reader.csrf),
      hidden_field("match", entity_tag(page.found, page.now)));
}

std::string_view class_of(ApprovalState state) {
  if (state == ApprovalState::pending) return "warn";
  return state == ApprovalState::approved || state == ApprovalState::used ? "good" : "bad";
}

std::string listed(const ApprovalRequest& request, std::int64_t now) {
  const ApprovalState state = state_at(request, now);
  return fmt::format(
      "<li>\n<h2><a href=\"/approvals/{}\">{}</a></h2>\n<p>called by {}, approval required by the "
      "rule {}</p>\n<p><span class=\"{}\">{}</span>, asked {}, <span "
      "class=\"quiet\">{}</span></p>\n</li>\n",
      escaped_html(request.id), place_of(request), whole(request.principal), whole(request.rule),
      class_of(state), text(state), time_of(request.made_at), left_of(request.ends_at - now));
}

}  // namespace

std::string approvals_html(const ApprovalList& list, const PageReader& reader) {
  std::string html =
      page_begin("Approvals", live_element(list.is_live && list.has_state, "/approvals")) +
      banner("/approvals", reader) + "<h1>Approvals</h1>\n";
  if (!list.has_state) {
    return html +
           "<p class=\"box warn\">No call can wait for approval here: that requires <code>[state] "
           "file</code> in the configuration.</p>\n" +
           std::string(kPageEnd);
  }
  html += list.is_live ? fmt::format(
                             "<p>This page reloads every {} seconds. <a "
                             "href=\"/approvals?live=off\">Pause</a></p>\n",
                             kLiveEvery)
                       : "<p>This page is paused. <a href=\"/approvals\">Resume</a></p>\n";
  if (list.requests.empty()) html += "<p>No call waits for you.</p>\n";
  html += "<ul class=\"cards\">\n";
  for (const ApprovalRequest& request : list.requests)
    html += listed(request, list.now);
  html += "</ul>\n";
  if (!list.next.empty()) {
    html += fmt::format("<p><a href=\"/approvals?after={}&amp;live=off\">Next page</a></p>\n",
                        escaped_html(list.next));
  }
  return html + std::string(kPageEnd);
}

std::string approval_html(const ApprovalPage& page, const PageReader& reader) {
  const ApprovalState state = state_at(page.found.request, page.now);
  const bool is_open = state == ApprovalState::pending || state == ApprovalState::approved;
  const bool may_answer = !page.why_no_answer.has_value();
  // A page with a form does not refresh, so that typed text is not lost.
  std::string html = page_begin("Approval", live_element(is_open && !may_answer,
                                                         "/approvals/" + page.found.request.id)) +
                     banner("/approvals", reader) + "<h1>A call that needs approval</h1>\n";
  html += fmt::format("<p class=\"box {}\" role=\"status\">It is {}.</p>\n", class_of(state),
                      text(state));
  html += terms_html(page) + call_html(page.found.request) + answers_html(page.found);
  if (may_answer) {
    html += answer_form(page, reader);
  } else {
    html += "<h2>Your answer</h2>\n<p>You cannot answer: " + whole(*page.why_no_answer) + ".</p>\n";
  }
  return html + "<p><a href=\"/approvals\">All approvals</a></p>\n" + std::string(kPageEnd);
}

}  // namespace bartizan
