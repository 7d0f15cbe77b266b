#include "policy/sanitise/ui_resource.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "config/ui_origin.h"
#include "policy/content/content_blocks.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

constexpr std::string_view kUiScheme = "ui://";
constexpr std::string_view kPageType = "text/html;profile=mcp-app";

/// Whether hosts may read origins from a member of a policy that is no list: of a name that has
/// lists nothing else is meant, and of others a switch or a number names none.
bool may_name_origins(JsonValue member) {
  constexpr std::array<std::string_view, 4> kLists{"connectDomains", "resourceDomains",
                                                   "frameDomains", "baseUriDomains"};
  return member.is(JsonType::string) || member.is(JsonType::object) ||
         std::ranges::find(kLists, member.key()) != kLists.end();
}

/// A type without its blanks, in lower case.
bool is_page(std::string_view type) {
  std::string spelled;
  for (const char c : type) {
    if (c != ' ' && c != '\t' && c != '"') spelled += lower_case(c);
  }
  return spelled == kPageType;
}

bool is_ui(std::string_view uri) {
  return uri.size() >= kUiScheme.size() &&
         std::ranges::equal(uri.substr(0, kUiScheme.size()), kUiScheme, {}, lower_case);
}

/// An element with its name, where its object gives it one.
ByteRange whole(JsonValue element) {
  const bool is_member = element.key_range().size() > 0;
  return {is_member ? element.key_range().begin : element.range().begin, element.range().end};
}

/// Where clients take pages of apps from: what a resource holds, and blocks that embed one. What
/// only looks like a resource is a text as any other, and a client may show it as one.
class HandedOver {
 public:
  explicit HandedOver(JsonValue said) {
    if (const JsonValue contents = said.find("contents"); contents.is(JsonType::array)) {
      for (const JsonValue resource : contents)
        add(resource);
    }
    const auto take = [this](JsonValue block) { add_block(block); };
    visit_blocks(said.find("content"), take);
    visit_message_blocks(said.find("messages"), take);
    std::ranges::sort(places_);
  }

  bool has(JsonValue resource) const { return holds(places_, resource); }

 private:
  void add(JsonValue resource) {
    // Whoever has a type is a block, and shown as what that says.
    if (resource.is(JsonType::object) && !resource.find("type"))
      places_.push_back(resource.range().begin);
  }

  void add_block(JsonValue block) {
    if (block.find("type").text() == "resource") add(block.find("resource"));
  }

  Offsets places_;
};

/// Looks at one resource after the other.
class UiSearch {
 public:
  UiSearch(const Sanitising& wanted, JsonValue said) : wanted_(wanted), handed_over_(said) {
    may_act_ = std::ranges::none_of(
        wanted.of_markup, [](const SanitisingRule* rule) { return rule->ui_origins.empty(); });
  }

  /// Whether more may be looked at.
  bool look_at(JsonValue resource) {
    const bool is_resource = is_ui(resource.find("uri").text());
    const bool is_typed = is_page(resource.find("mimeType").text());
    if (!is_resource && !is_typed) return true;
    judge_policy(resource.at_pointer("/_meta/ui/csp"));
    const bool acts = may_act_ && is_resource && is_typed && handed_over_.has(resource);
    const JsonValue text = resource.find("text");
    if (acts && text.is(JsonType::string)) found_.pages.push_back(text.range().begin);
    const JsonValue blob = resource.find("blob");
    if (!acts && !blob.text().empty()) found_.blobs.push_back(blob.range().begin);
    return !found_.has_too_many;
  }

  UiResources finish() && {
    // Objects stand within each other: what is found in the outer one may lie behind, and an
    // element may hold others.
    std::ranges::sort(found_.origins, {}, [](JsonValue value) { return whole(value).begin; });
    std::size_t end = 0;
    std::erase_if(found_.origins, [&](JsonValue value) {
      const bool is_within = whole(value).begin < end;
      end = std::max(end, whole(value).end);
      return is_within;
    });
    std::ranges::sort(found_.pages);
    std::ranges::sort(found_.blobs);
    return std::move(found_);
  }

 private:
  /// Of a list with a name that nobody knows hosts may make something tomorrow, and so it counts.
  void judge_policy(JsonValue policy) {
    if (!policy) return;
    if (!policy.is(JsonType::object)) {
      if (counts_one()) found_.origins.push_back(policy);
      return;
    }
    for (const JsonValue list : policy) {
      if (!counts_one()) return;
      if (list.is(JsonType::array)) {
        judge_list(list);
      } else if (may_name_origins(list)) {
        found_.origins.push_back(list);
      }
    }
  }

  void judge_list(JsonValue list) {
    for (const JsonValue element : list) {
      if (!counts_one()) return;
      if (!is_let(element)) found_.origins.push_back(element);
    }
  }

  /// One more that an app names; false beyond the bound.
  bool counts_one() {
    found_.has_too_many = ++judged_ > kUiOriginsMax;
    return !found_.has_too_many;
  }

  /// Whether every rule about markup lets apps name that origin.
  bool is_let(JsonValue element) const {
    if (!element.is(JsonType::string)) return false;
    const std::optional<UiOrigin> asked = parse_ui_origin(element.text());
    return asked.has_value() &&
           std::ranges::all_of(wanted_.of_markup, [&](const SanitisingRule* rule) {
             return std::ranges::any_of(rule->ui_origins, [&](const UiOrigin& allowed) {
               return covers(allowed, *asked);
             });
           });
  }

  const Sanitising& wanted_;
  HandedOver handed_over_;
  UiResources found_;
  std::size_t judged_ = 0;
  bool may_act_ = false;
};

}  // namespace

UiResources find_ui_resources(const Sanitising& wanted, JsonValue message, JsonValue said) {
  if (wanted.of_markup.empty()) return {};
  UiSearch search(wanted, said);
  for (const JsonValue value : message.within()) {
    if (value.is(JsonType::object) && !search.look_at(value)) break;
  }
  return std::move(search).finish();
}

std::string without_elements(JsonValue message, const std::vector<JsonValue>& elements) {
  const std::string_view bytes = message.raw();
  const std::size_t begin = message.range().begin;
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  std::string left;
  std::size_t at = 0;
  for (const JsonValue element : elements) {
    const std::size_t first = whole(element).begin - begin;
    left.append(bytes, at, first - at);
    at = element.range().end - begin;
    std::size_t end = at;
    while (end < bytes.size() && is_blank(bytes[end]))
      ++end;
    if (bytes[end] == ',') {
      at = end + 1;
      continue;
    }
    // The last of its list: of those before it, the last that stays loses its comma.
    while (!left.empty() && is_blank(left.back()))
      left.pop_back();
    if (!left.empty() && left.back() == ',') left.pop_back();
  }
  return left.append(bytes.substr(at));
}

}  // namespace bartizan
