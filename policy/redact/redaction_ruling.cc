#include "policy/redact/redaction_ruling.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "policy/content/opaque_values.h"
#include "policy/url/url.h"

namespace bartizan {
namespace {

/// Whether a match leads to one of the hosts. Not for a text that parsers read as different URLs,
/// or that has two.
bool leads_to(const std::vector<HostPattern>& hosts, const FoundPart& found) {
  if (hosts.empty()) return true;
  const std::string_view whole = found.whole.of(found.text);
  const std::size_t slashes = whole.find("://");
  if (slashes == whole.npos || whole.rfind("://") != slashes) return false;
  const std::optional<Url> url = read_url(whole);
  return url.has_value() && std::ranges::any_of(hosts, [&](const HostPattern& host) {
           return host.matches(url->host);
         });
}

/// The parts of a message that pointers select, in order, without nested ones.
class Selected {
 public:
  Selected(const std::vector<std::vector<PointerSegment>>& pointers, JsonValue root) {
    for (const std::vector<PointerSegment>& pointer : pointers) {
      visit_selected(pointer, root, [&](Selection selection, JsonValue value, const Place*) {
        if (selection == Selection::value) ranges_.push_back(value.range());
        return true;
      });
    }
    std::ranges::sort(ranges_, {},
                      [](const ByteRange& one) { return std::pair(one.begin, ~one.end); });
    std::size_t end = 0;
    std::erase_if(ranges_, [&](const ByteRange& one) {
      return one.begin < std::exchange(end, std::max(end, one.end));
    });
  }

  bool holds(JsonValue value) const {
    if (!value) return false;
    const std::size_t at = value.range().begin;
    const auto behind = std::ranges::upper_bound(ranges_, at, {}, &ByteRange::begin);
    return behind != ranges_.begin() && at < std::prev(behind)->end;
  }

 private:
  std::vector<ByteRange> ranges_;
};

/// An exception for this message, and the values that its pointers select.
struct ActiveKeep {
  const RedactionKeep* keep;
  Offsets selected;

  bool names(const FoundPart& found) const {
    return keep->detectors[found.detector] != 0 && !found.is_name &&
           (keep->pointers.empty() || holds(selected, found.value)) && leads_to(keep->hosts, found);
  }
};

std::vector<ActiveKeep> active_keeps(const RedactionRule& rule, const RedactionScope& scope,
                                     JsonValue root) {
  std::vector<ActiveKeep> active;
  for (const RedactionKeep& keep : rule.keeps) {
    if (scope.now >= keep.expires || !scope.is_of(keep.tools)) continue;
    Offsets selected;
    for (const std::vector<PointerSegment>& pointer : keep.pointers) {
      visit_selected(pointer, root, [&](Selection selection, JsonValue value, const Place*) {
        if (selection == Selection::value) selected.push_back(value.range().begin);
        return true;
      });
    }
    std::ranges::sort(selected);
    active.push_back({&keep, std::move(selected)});
  }
  return active;
}

}  // namespace

void add_rulings(const RedactionRule& rule, const RedactionScope& scope, JsonValue said,
                 std::span<const FoundPart> found, std::vector<RedactionRuling>& rulings) {
  const std::vector<ActiveKeep> keeps = active_keeps(rule, scope, said);
  const Selected selected(rule.pointers, said);
  const auto is_there = [&](const FoundPart& one) {
    return rule.pointers.empty() || selected.holds(one.value);
  };
  std::size_t string = 0;
  std::size_t kept_until = 0;
  const auto is_kept = [&](const FoundPart& one) {
    return std::ranges::any_of(keeps, [&](const ActiveKeep& keep) { return keep.names(one); });
  };
  for (auto first = found.begin(); first != found.end();) {
    // Several detectors may find the same part. If one match is kept, all are.
    const auto last = std::find_if(first, found.end(), [first](const FoundPart& one) {
      return one.string != first->string || one.part.begin != first->part.begin;
    });
    if (std::exchange(string, first->string) != first->string) kept_until = 0;
    for (auto one = first; one != last; ++one) {
      if (is_kept(*one)) kept_until = std::max(kept_until, one->part.end);
    }
    for (auto one = first; one != last; ++one) {
      if (rule.detectors[one->detector] == 0 || !is_there(*one)) continue;
      RedactionRuling& ruling = rulings[static_cast<std::size_t>(one - found.begin())];
      if (one->part.end <= kept_until) {
        ruling.is_kept = true;
      } else {
        ruling.add(rule);
      }
    }
    first = last;
  }
}

}  // namespace bartizan
