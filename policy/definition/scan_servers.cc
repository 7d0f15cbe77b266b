#include "policy/definition/scan_servers.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "policy/definition/definition_secrets.h"
#include "policy/definition/diff_definitions.h"
#include "policy/definition/instruction_phrases.h"
#include "policy/text/argument_pointer.h"
#include "policy/text/name_looks.h"
#include "schemas/base/bytes.h"
#include "schemas/base/limits.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

using enum FindingSeverity;

/// Shorter names differ by one letter by chance.
constexpr std::size_t kSimilarFrom = 8;

class MentionSearch {
 public:
  std::vector<ToolMention> run(JsonValue entry) {
    own_ = spoken_name(entry.find("name").text());
    look(entry, nullptr);
    std::vector<ToolMention> mentions;
    mentions.reserve(orders_.size() + others_.size());
    for (auto& [word, mention] : orders_)
      mentions.push_back(std::move(mention));
    for (auto& [word, mention] : others_) {
      if (mentions.size() < tool_mentions_max) mentions.push_back(std::move(mention));
    }
    return mentions;
  }

 private:
  using Found = std::map<std::string, ToolMention, std::less<>>;

  static bool directs(const std::vector<std::string>& words) {
    constexpr std::array<std::string_view, 6> kOrders{"always",  "must",  "never",
                                                      "instead", "don't", "important"};
    return find_instruction(words) != nullptr ||
           std::ranges::find_first_of(words, kOrders) != words.end();
  }

  void look(JsonValue value, const Place* at) {
    if (value.is(JsonType::string)) return look_in(value.text(), at);
    Place step{.above = at, .is_element = value.is(JsonType::array)};
    for (const JsonValue member : value) {
      step.name = member.key();
      look(member, &step);
      ++step.index;
    }
  }

  void look_in(std::string_view text, const Place* at) {
    const std::vector<std::string_view> words = words_of(text);
    const bool has_names = std::ranges::any_of(words, is_distinctive);
    if (!has_names) return;
    const FindingSeverity severity = directs(spoken_words(text)) ? high : medium;
    Found& found = severity == high ? orders_ : others_;
    for (const std::string_view word : words) {
      if (word.size() > limits::tool_name_bytes_max || !is_distinctive(word)) continue;
      std::string spoken = spoken_name(word);
      const bool is_known =
          spoken == own_ || found.contains(spoken) || found.size() >= tool_mentions_max;
      if (is_known) continue;
      if (severity == high) others_.erase(spoken);
      if (severity == medium && orders_.contains(spoken)) continue;
      found.emplace(spoken,
                    ToolMention{.word = spoken, .severity = severity, .pointer = pointer_text(at)});
    }
  }

  std::string own_;
  Found orders_;  ///< In texts that give an instruction about it.
  Found others_;
};

/// A tool's name, in the forms for comparison.
struct Named {
  std::string_view server;
  std::string name;
  std::string spoken;
  std::string skeleton;
};

std::string name_of(JsonValue entry) {
  const std::string_view name = entry.find("name").text();
  return name.empty() ? "(unnamed)" : std::string(utf8_head(name, limits::tool_name_bytes_max));
}

/// The holders of a name, by its form for comparison: of each server the first, and the first with
/// another spelling. One finding cannot report more.
class NameTable {
 public:
  struct Holder {
    std::size_t place;
    std::string_view server;
    std::string_view spoken;
  };

  void add(std::string key, const Holder& holder) {
    std::vector<Holder>& holders = holders_[std::move(key)];
    std::size_t of_server = 0;
    for (const Holder& other : holders) {
      if (other.server != holder.server) continue;
      if (other.spoken == holder.spoken || ++of_server == 2) return;
    }
    holders.push_back(holder);
  }

  const std::vector<Holder>& find(const std::string& key) const {
    static const std::vector<Holder> kNobody;
    const auto found = holders_.find(key);
    return found == holders_.end() ? kNobody : found->second;
  }

 private:
  std::map<std::string, std::vector<Holder>> holders_;
};

std::string without_letter(const std::string& name, std::size_t at) {
  return name.substr(0, at) + name.substr(at + 1);
}

/// A name with a gap, a character that names never have.
std::string with_gap(const std::string& name, std::size_t at) {
  return name.substr(0, at) + '\n' + name.substr(at + 1);
}

class ServerScan {
 public:
  ServerScan(std::span<const ScannedTool> tools, const PinnedTools& approved)
      : tools_(tools), approved_(approved) {
    names_.reserve(tools.size());
    for (const ScannedTool& tool : tools) {
      std::string name = name_of(tool.entry);
      std::string spoken = spoken_name(name);
      std::string skeleton = looks_.skeleton(name);
      own_[tool.server].insert(spoken);
      names_.push_back({tool.server, std::move(name), std::move(spoken), std::move(skeleton)});
    }
    for (std::size_t place = 0; place < names_.size(); ++place)
      note(place);
  }

  std::vector<LocatedFinding> run() {
    for (std::size_t i = 0; i < tools_.size(); ++i) {
      for (ScanFinding& finding : scan_definition(tools_[i].entry))
        add(i, std::move(finding));
      for (ScanFinding& finding : find_held_secrets(tools_[i].entry))
        add(i, std::move(finding));
      scan_mentions(i);
      scan_names(i);
      scan_change(i);
    }
    return std::move(findings_);
  }

 private:
  using Holders = std::vector<NameTable::Holder>;

  void note(std::size_t place) {
    const Named& named = names_[place];
    const NameTable::Holder holder{.place = place, .server = named.server, .spoken = named.spoken};
    by_name_.add(named.spoken, holder);
    if (!named.skeleton.empty()) by_look_.add(named.skeleton, holder);
    if (named.spoken.size() < kSimilarFrom) return;
    for (std::size_t at = 0; at < named.spoken.size(); ++at) {
      by_gap_.add(with_gap(named.spoken, at), holder);
      by_shorter_.add(without_letter(named.spoken, at), holder);
    }
  }

  void add(std::size_t place, ScanFinding finding) {
    findings_.push_back(
        {std::string(tools_[place].server), names_[place].name, std::move(finding)});
  }

  /// Two servers with the same list run the same program, or two of its versions.
  bool is_stranger(std::size_t place, const NameTable::Holder& other) const {
    return other.server != names_[place].server &&
           own_.find(other.server)->second != own_.find(names_[place].server)->second;
  }

  /// Names of tools of other servers, for one finding. `is_alike` decides whether a tool counts.
  template <class Counts>
  std::vector<std::size_t> strangers(std::size_t place, const Holders& holders,
                                     Counts counts) const {
    std::vector<std::size_t> found;
    for (const NameTable::Holder& other : holders) {
      if (is_stranger(place, other) && counts(other)) found.push_back(other.place);
    }
    return found;
  }

  /// `a/read_file, and 2 more`
  std::string told(const std::vector<std::size_t>& others) const {
    const Named& first = names_[others.front()];
    std::string text = fmt::format("{}/{}", first.server, first.name);
    if (others.size() > 1) text += fmt::format(", and {} more", others.size() - 1);
    return text;
  }

  void scan_mentions(std::size_t place) {
    const auto& own = own_.find(tools_[place].server)->second;
    std::vector<std::size_t> spoken_of;
    std::optional<ScanFinding> finding;
    for (ToolMention& mention : find_mentions(tools_[place].entry)) {
      if (own.contains(mention.word)) continue;
      const auto others =
          strangers(place, by_name_.find(mention.word), [](const auto&) { return true; });
      if (others.empty()) continue;
      spoken_of.push_back(others.front());
      // Those of high severity are first.
      if (finding.has_value()) continue;
      finding = {ScanRule::other_tool, mention.severity, std::move(mention.pointer), ""};
    }
    if (!finding.has_value()) return;
    finding->what = "speaks of " + told(spoken_of);
    add(place, *std::move(finding));
  }

  void scan_names(std::size_t place) {
    const Named& one = names_[place];
    const auto is_same = [&one](const auto& other) { return other.spoken == one.spoken; };
    const auto is_other = [&one](const auto& other) { return other.spoken != one.spoken; };
    const auto same = strangers(place, by_name_.find(one.spoken), is_same);
    if (!same.empty()) {
      add(place, {ScanRule::similar_name, low, "/name", "has the name of " + told(same)});
    }
    const auto alike = strangers(place, by_look_.find(one.skeleton), is_other);
    if (!alike.empty()) {
      return add(place, {ScanRule::confusable_name, high, "/name", "looks like " + told(alike)});
    }
    if (!same.empty() || one.spoken.size() < kSimilarFrom) return;
    // A tool that is a letter away twice counts once.
    std::set<std::size_t> close;
    const auto take = [&](const Holders& holders) {
      const auto others = strangers(place, holders, is_other);
      close.insert(others.begin(), others.end());
    };
    take(by_shorter_.find(one.spoken));
    for (std::size_t at = 0; at < one.spoken.size(); ++at) {
      take(by_gap_.find(with_gap(one.spoken, at)));
      const std::string shorter = without_letter(one.spoken, at);
      if (shorter.size() >= kSimilarFrom) take(by_name_.find(shorter));
    }
    if (close.empty()) return;
    add(place, {ScanRule::similar_name, medium, "/name",
                "is a letter away from " + told({close.begin(), close.end()})});
  }

  void scan_change(std::size_t place) {
    const auto server = approved_.find(tools_[place].server);
    if (server == approved_.end()) return;
    const auto pinned = server->second.find(names_[place].name);
    if (pinned == server->second.end() || !pinned->second.is_approved) return;
    const Bytes bytes{std::string_view(pinned->second.definition)};
    JsonDocument document;
    const Result<JsonValue> before = document.read(bytes, kResponseLimits);
    if (!before.has_value()) return;
    for (DefinitionChange& change : diff_definitions(*before, tools_[place].entry)) {
      add(place, {ScanRule::changed, change.severity, std::move(change.pointer),
                  std::move(change.what) + " since it was approved"});
    }
  }

  std::span<const ScannedTool> tools_;
  const PinnedTools& approved_;
  NameLooks looks_;
  std::vector<Named> names_;
  /// The tools of each server, in spoken form.
  std::map<std::string_view, std::set<std::string>> own_;
  NameTable by_name_;
  NameTable by_look_;
  NameTable by_gap_;      ///< Names with a gap for each of their letters.
  NameTable by_shorter_;  ///< Names without each of their letters.
  std::vector<LocatedFinding> findings_;
};

}  // namespace

std::vector<LocatedFinding> scan_servers(std::span<const ScannedTool> tools,
                                         const PinnedTools& approved) {
  return ServerScan(tools, approved).run();
}

std::vector<ToolMention> find_mentions(JsonValue entry) {
  return MentionSearch().run(entry);
}

}  // namespace bartizan
