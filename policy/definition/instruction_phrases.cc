#include "policy/definition/instruction_phrases.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <span>
#include <unordered_map>

#include "policy/text/hidden_text.h"
#include "policy/text/name_looks.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

using enum FindingSeverity;

/// From published descriptions of tool poisoning, and compared with the definitions of the
/// protocol's own reference servers.
constexpr auto kPhrases = std::to_array<InstructionPhrase>({
    {high,
     "ignore|disregard|forget ~3 previous|prior|above|earlier|your|system ~2 "
     "instruction|instructions|rules|prompt|prompts|guidelines|restrictions|safety",
     "to ignore what it was told"},
    {high,
     "ignore|disregard|forget|override|bypass ~3 "
     "previous|prior|your|all|any|existing|system|safety "
     "~2 instruction|instructions|prompt|prompts|guidelines",
     "to ignore what it was told"},
    {high, "ignore|disregard|forget everything|anything ~2 above|before|previously",
     "to ignore what it was told"},
    {high, "not|don't|never ~2 tell|inform ~1 user|users|human|anyone|customer|them",
     "to keep something from the user"},
    {high,
     "not|don't|never ~2 mention|reveal|disclose|tell|say ~5 to ~1 "
     "user|users|human|anyone|customer|them",
     "to keep something from the user"},
    {high, "without ~2 telling|informing|mentioning ~3 user|users|human|anyone",
     "to keep something from the user"},
    {high, "not|don't|never ~1 explicitly|ever mention|reveal|disclose|tell",
     "to keep something from the user"},
    {high, "not|don't|never mention|reveal|disclose ~3 that|this|these|instruction|instructions",
     "to keep something from the user"},
    {high,
     "read|reads|reading|open|cat|include|append|attach|pass|send|upload|content|contents|load|"
     "fetch|access|copy ~6 @place",
     "to hand over what lies in a secret place"},
    {high,
     "include|append|attach|pass|send|upload|content|contents|copy|paste|put|insert ~6 @settings",
     "to hand over what lies in a secret place"},
    {high,
     "include|append|attach|pass|send|provide|insert|put|copy|paste|log|forward ~6 "
     "full|entire|whole|complete|exact|verbatim ~2 conversation|chat|dialog|dialogue|transcript",
     "to hand over the conversation"},
    {high,
     "call|use|invoke|run ~3 with ~2 full|entire|whole|complete|exact ~2 "
     "conversation|chat|dialog|dialogue|transcript",
     "to hand over the conversation"},
    {high,
     "include|append|pass|send|insert|repeat|print|reveal|provide|put|copy ~4 "
     "your|full|entire|whole|complete|exact|own ~2 system prompt|message|instructions",
     "to hand over its orders"},
    {high,
     "when|whenever|if|before|after|once ~6 is|are|was|gets used|invoked|called|executed ~5 "
     "change|replace|redirect|substitute|forward|alter|modify|bcc|set ~6 "
     "recipient|recipients|address|addresses|destination|number|payee|bcc",
     "to use another tool otherwise"},
    {high,
     "always|must|instead ~2 set|change|replace|use ~3 "
     "recipient|recipients|address|destination|bcc "
     "~3 to ~8",
     "to send something elsewhere"},
    {high,
     "include|append|pass|send|put|add|provide ~3 "
     "password|passwords|credentials|api|ssh|secret|secrets|private|environment|access ~1 "
     "key|keys|variables|tokens ~4 response|sidenote|notes|note|context|output|comment|feedback",
     "to hand over credentials"},
    {high,
     "always|must ~2 prefer|use|choose|select|pick|call ~3 this|me ~1 tool|function|server|one ~12 "
     "never|not|don't|avoid|stop ~1 use|using|call|calling|invoke|invoking|choose|trust|prefer",
     "to use it and no other"},
    {high,
     "prefer|use|choose|select|pick|call ~3 this|me ~1 tool|function|server ~3 over|before|instead "
     "~2 any|every|all|each ~1 other|others|similar|competing",
     "to use it and no other"},
    {high,
     "must|should|shall|always ~2 called|used|run|invoked|executed|call|use|invoke|execute ~4 "
     "before ~1 any|every|all|each ~1 other|another ~1 "
     "tool|tools|function|functions|call|calls|action|actions|operation|operations",
     "to use it before any other"},
    {high,
     "before|prior ~1 executing|performing|running|doing|starting|calling|using|answering ~1 "
     "any|every|each|all ~3 call|use|invoke|run|execute ~3 this|me ~10 "
     "replace|substitute|rewrite|overwrite|swap|exchange|adopt|obey|follow",
     "to take over what it does next"},
    {high,
     "always|must ~2 call|use|invoke|run this ~1 tool|function ~2 first ~4 "
     "include|pass|send|provide",
     "to use it first, with more than it needs"},
    {high,
     "secretly|covertly ~2 "
     "log|send|record|copy|forward|save|store|read|collect|upload|email|post|capture|include",
     "to do something in secret"},
    {high, "silently ~1 send|forward|upload|email|exfiltrate|transmit|collect|capture",
     "to do something in secret"},
    {high,
     "always|also|additionally ~2 send|forward|email|bcc ~2 copy|copies ~3 "
     "result|results|response|responses|output|answer|data|content|contents ~4 to|by|email",
     "to send something elsewhere"},
    {high,
     "decode|decodes|decoded|decrypt|deobfuscate|unscramble|base64-decode|rot13 ~8 "
     "follow|obey|comply|execute|perform ~2 "
     "it|them|instruction|instructions|orders|directions|steps|commands|what|whatever",
     "to follow what is encoded"},
    {medium,
     "before|prior ~1 executing|performing|running|doing|starting|calling|answering ~1 "
     "any|every|each|all ~3 call|use|invoke|run|execute ~3 this|me",
     "to use a tool first"},
    {medium,
     "ignore|disregard|forget|override|bypass ~3 all|existing|system ~2 rules|restrictions|safety",
     "to ignore what it was told"},
    {medium,
     "not|don't|never ~2 notify|alert|mention|reveal|disclose ~5 "
     "user|users|human|anyone|customer|them",
     "to keep something from the user"},
    {medium, "without ~2 notifying|asking ~3 user|users|human|anyone",
     "to keep something from the user"},
    {medium, "read|reads|reading|open|cat|load|loads|fetch|access ~6 @settings",
     "to read what may hold credentials"},
    {medium, "full|entire|whole|complete|exact ~2 conversation|chat|dialog|dialogue|transcript",
     "to hand over the conversation"},
    {medium,
     "when|whenever|if|before|after|once ~6 is|are|was|gets used|invoked|called|executed ~5 "
     "change|replace|redirect|substitute|forward|alter|modify|bcc",
     "to use another tool otherwise"},
    {medium,
     "if|when|whenever ~1 user|they says|say|mentions|types ~6 call|use|invoke|run|execute "
     "this|the "
     "tool|function",
     "to run at words of the user's"},
    {medium,
     "include|append|pass|send|put|add|provide ~3 "
     "password|passwords|credentials|api|ssh|secret|secrets|private|environment|access ~1 "
     "key|keys|variables|tokens ~4 argument|parameter|field",
     "to hand over credentials"},
    {medium, "you must|should|have|need ~3 call|use|invoke|run|execute ~6 first|before",
     "to use a tool first"},
    {medium,
     "before|prior ~1 using|calling|invoking|running ~3 tool|function ~8 "
     "read|open|access|fetch|retrieve|call|run",
     "to do something else before"},
    {medium, "always|must ~2 call|use|invoke|run this|the tool|function", "to always use the tool"},
    {medium, "instead of ~4 tool|tools|function", "to use it in the place of another"},
    {medium, "do|must|should not show|display ~4 user|users", "to keep something from the user"},
    {medium, "conversation|chat|message history", "to hand over the conversation"},
    {medium, "system prompt", "about its orders"},
    {medium, "present ~3 as if", "to pretend"},
});

/// Blocks with a single mark.
constexpr auto kBlocks = std::to_array<std::string_view>({
    "<|im_start|>",
    "<|system|>",
    "[inst]",
    "<<sys>>",
    "[system]",
    "[important]",
    "[hidden]",
    "[system message",
    "### instruction",
    "### system",
});
/// Blocks between two tags. For some, the first tag is enough, since it is not a usual placeholder.
constexpr auto kTags =
    std::to_array<std::string_view>({"important", "hidden", "critical", "instruction",
                                     "instructions", "assistant", "secret", "system", "admin"});
constexpr auto kTelling = std::to_array<std::string_view>({"important", "critical"});

constexpr auto kPlaces = std::to_array<std::string_view>({
    ".ssh",
    "id_rsa",
    "id_ed25519",
    "id_ecdsa",
    ".aws/",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".kube/config",
    ".docker/config",
    ".git-credentials",
    ".bash_history",
    ".zsh_history",
    ".cursor/",
    "claude_desktop_config",
    "/etc/passwd",
    "/etc/shadow",
    "169.254.169.254",
    "metadata.google",
    ".gnupg",
    ".config/gcloud",
    "/proc/self/environ",
});

bool is_word_character(char c) {
  constexpr std::string_view kInner = "_-./~'|$@:";
  return (is_letter(c) || is_digit(c)) || static_cast<unsigned char>(c) >= 0x80 ||
         kInner.find(c) != std::string_view::npos;
}

/// Folded, and without invisible characters; unchanged if the library refuses the text.
std::string readable(std::string_view text) {
  std::string seen;
  std::size_t at = 0;
  for (const HiddenPart& part : find_hidden(text)) {
    seen += text.substr(at, part.range.begin - at);
    at = part.range.end;
  }
  seen += text.substr(at);
  return spoken_name(seen);
}

std::string_view trimmed(std::string_view word) {
  constexpr std::string_view kAround = "-'|:@$";
  while (!word.empty() && (kAround.find(word.back()) != std::string_view::npos ||
                           word.back() == '.' || word.back() == '/')) {
    word.remove_suffix(1);
  }
  while (!word.empty() && kAround.find(word.front()) != std::string_view::npos)
    word.remove_prefix(1);
  return word;
}

/// Files that often have credentials, and that some tools are made to read.
bool is_settings_file(std::string_view word) {
  const std::size_t slash = word.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? word : word.substr(slash + 1);
  return name == ".env" || name.starts_with(".env.") || name == "mcp.json";
}

bool is_among(std::string_view choices, std::string_view word) {
  while (true) {
    const std::size_t end = choices.find('|');
    const std::string_view one = choices.substr(0, end);
    if (one == word) return true;
    if (one == "@place" && is_secret_place(word)) return true;
    if (one == "@settings" && is_settings_file(word)) return true;
    if (end == std::string_view::npos) return false;
    choices.remove_prefix(end + 1);
  }
}

/// Whether the words begin with the phrase.
bool begins_with(std::span<const std::string> words, std::string_view pattern) {
  if (pattern.empty()) return true;
  const std::size_t end = pattern.find(' ');
  const std::string_view token = pattern.substr(0, end);
  const std::string_view rest = end == std::string_view::npos ? "" : pattern.substr(end + 1);
  if (token.starts_with('~')) {
    std::size_t most = 0;
    std::from_chars(token.data() + 1, token.data() + token.size(), most);
    for (std::size_t skipped = 0; skipped <= std::min(most, words.size()); ++skipped) {
      if (begins_with(words.subspan(skipped), rest)) return true;
    }
    return false;
  }
  return !words.empty() && is_among(token, words.front()) && begins_with(words.subspan(1), rest);
}

/// Phrases by their first word: few words of a text begin one.
using Beginnings = std::unordered_multimap<std::string_view, const InstructionPhrase*>;

Beginnings find_beginnings() {
  Beginnings beginnings;
  for (const InstructionPhrase& phrase : kPhrases) {
    std::string_view choices = phrase.pattern.substr(0, phrase.pattern.find(' '));
    while (true) {
      const std::size_t end = choices.find('|');
      beginnings.emplace(choices.substr(0, end), &phrase);
      if (end == std::string_view::npos) break;
      choices.remove_prefix(end + 1);
    }
  }
  return beginnings;
}

/// Whether a text opens a tag with exactly that name.
bool has_tag(std::string_view text, std::string_view name) {
  const std::string opening = "<" + std::string(name);
  for (std::size_t at = text.find(opening); at != std::string_view::npos;
       at = text.find(opening, at + 1)) {
    const std::size_t end = at + opening.size();
    if (end == text.size() || text[end] == '>' || text[end] == ' ' || text[end] == '/') return true;
  }
  return false;
}

}  // namespace

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word_character(text[end]))
      ++end;
    const std::string_view word = trimmed(text.substr(at, end - at));
    if (!word.empty()) words.push_back(word);
    at = end + 1;
  }
  return words;
}

std::vector<std::string> spoken_words(std::string_view text) {
  const std::string folded = readable(text);
  const std::vector<std::string_view> words = words_of(folded);
  return {words.begin(), words.end()};
}

bool is_secret_place(std::string_view word) {
  const auto is_within = [word](std::string_view place) {
    return word.find(place) != std::string_view::npos;
  };
  return std::ranges::any_of(kPlaces, is_within);
}

const InstructionPhrase* find_instruction(const std::vector<std::string>& words) {
  static const Beginnings kBeginnings = find_beginnings();
  const std::span<const std::string> all(words);
  const InstructionPhrase* found = nullptr;
  for (std::size_t at = 0; at < all.size(); ++at) {
    const auto [first, last] = kBeginnings.equal_range(all[at]);
    for (auto phrase = first; phrase != last; ++phrase) {
      const bool is_worse = found == nullptr || phrase->second->severity > found->severity;
      if (is_worse && begins_with(all.subspan(at), phrase->second->pattern)) found = phrase->second;
    }
    if (found != nullptr && found->severity == high) break;
  }
  return found;
}

std::string_view find_marked_block(std::string_view text) {
  const std::string folded = readable(text);
  for (const std::string_view block : kBlocks) {
    if (folded.contains(block)) return block;
  }
  for (const std::string_view tag : kTags) {
    const bool is_enough = std::ranges::find(kTelling, tag) != kTelling.end();
    if (has_tag(folded, tag) && (is_enough || folded.contains("</" + std::string(tag)))) return tag;
  }
  constexpr std::string_view kSpeaker = "system:";
  const std::size_t speaker = folded.find(kSpeaker);
  const bool speaks =
      speaker != std::string::npos &&
      (speaker == 0 || folded[speaker - 1] == '\n' || folded[speaker - 1] == '\r') &&
      // A URI is not a speaker.
      folded.compare(speaker + kSpeaker.size(), 2, "//") != 0;
  return speaks ? kSpeaker : std::string_view();
}

}  // namespace bartizan
