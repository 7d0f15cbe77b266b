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

/// Whether hosts may read origins from a member of a policy that is not a list. Strings and objects
/// may name origins, and so may any value under the name of a known list.
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

/// An element with its name, if it has one.
ByteRange whole(JsonValue element) {
  const bool is_member = element.key_range().size() > 0;
  return {is_member ? element.key_range().begin : element.range().begin, element.range().end};
}

/// The places where clients take pages of apps: the contents of a resource, and blocks that embed
/// one. Anything else with the form of a resource is a text, which a client may show.
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
    // An object with a type is a block, and is shown as that type.
    if (resource.is(JsonType::object) && !resource.find("type"))
      places_.push_back(resource.range().begin);
  }

  void add_block(JsonValue block) {
    if (block.find("type").text() == "resource") add(block.find("resource"));
  }

  Offsets places_;
};

/// Examines one resource after the other.
class UiSearch {
 public:
  UiSearch(const Sanitising& wanted, JsonValue said) : wanted_(wanted), handed_over_(said) {
    may_act_ = std::ranges::none_of(
        wanted.of_markup, [](const SanitisingRule* rule) { return rule->ui_origins.empty(); });
  }

  /// Whether to continue.
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
    // Objects are nested: the findings of an outer one may come later in the text, and an element
    // may contain others.
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
  /// A list with an unknown name counts, as hosts may give it a meaning later.
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

  /// Counts an origin; false beyond the limit.
  bool counts_one() {
    found_.has_too_many = ++judged_ > kUiOriginsMax;
    return !found_.has_too_many;
  }

  /// Whether every rule about markup allows that origin.
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
    // The last element of its list: the last remaining one before it loses its comma.
    while (!left.empty() && is_blank(left.back()))
      left.pop_back();
    if (!left.empty() && left.back() == ',') left.pop_back();
  }
  return left.append(bytes.substr(at));
}

}  // namespace bartizan
