#include "policy/learn/learn_values.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "policy/predicate/value_predicate.h"
#include "policy/url/url.h"
#include "schemas/base/ascii.h"
#include "schemas/json/json_decimal.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// Up to this many different values are listed; more are described.
constexpr std::size_t kNamedMax = 8;
/// Up to this many different paths are listed if they have only `/` in common.
constexpr std::size_t kNamedPathsMax = 64;
/// A longer text is not a choice from a list.
constexpr std::size_t kNamedBytesMax = 128;
constexpr std::size_t kExtensionsMax = 16;
constexpr std::size_t kHostsMax = 64;

/// The components, without those that stay in place.
std::vector<std::string_view> components(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (!part.empty() && part != ".") parts.push_back(part);
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  return parts;
}

/// `.md` of `/srv/notes.md`; nothing for a name without an extension, or with nothing before it.
std::string_view extension(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  if (dot == 0 || dot == std::string_view::npos || dot + 1 == name.size()) return {};
  return name.substr(dot);
}

bool is_hidden(std::string_view name) {
  return name.starts_with('.');
}

/// Whether a word of a name begins there: after a character that is not a letter, or at a change of
/// case, as in `outputDir` and in `HTTPPath`.
bool begins_word(std::string_view name, std::size_t at) {
  if (at == 0 || !is_letter(name[at - 1])) return true;
  if (!is_upper(name[at])) return false;
  return is_lower(name[at - 1]) || (at + 1 < name.size() && is_lower(name[at + 1]));
}

/// The words of a name, in lower case: `output` and `dir` of `output_dir`.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (!is_letter(name[i])) continue;
    if (begins_word(name, i)) words.emplace_back();
    words.back() += lower_case(name[i]);
  }
  return words;
}

/// Whether a pointer's last name, or that of an array for its elements, means paths. Whole words
/// count: a `profile` is not a file, and a `direction` not a folder.
bool names_paths(std::string_view pointer) {
  if (pointer.ends_with("/*")) pointer.remove_suffix(2);
  constexpr std::array<std::string_view, 15> kWords{
      "path",      "paths", "pathname", "filepath",  "filepaths",   "file",   "files",  "filename",
      "filenames", "dir",   "dirs",     "directory", "directories", "folder", "folders"};
  const std::vector<std::string> words = words_of(pointer.substr(pointer.rfind('/') + 1));
  return std::ranges::find_first_of(words, kWords) != words.end();
}

/// Whether a text is most likely a file name: `.md` counts, `.5` does not.
bool has_file_extension(std::string_view path) {
  constexpr std::size_t kLengthMax = 9;
  const std::string_view ending = extension(path);
  return !ending.empty() && ending.size() <= kLengthMax && !ending.contains(' ') &&
         !std::ranges::all_of(ending.substr(1), is_digit);
}

/// Makes each absolute from the server's working directory.
std::set<std::string, std::less<>> made_absolute(const std::set<std::string, std::less<>>& texts,
                                                 std::string_view cwd) {
  std::set<std::string, std::less<>> absolute;
  for (const std::string& text : texts)
    absolute.insert(text.starts_with('/') ? text : std::string(cwd) + "/" + text);
  return absolute;
}

/// Paths below their longest common root. Nothing if one is not absolute, or if the root would be
/// `/`.
std::optional<LearnedPredicate> learn_paths(const std::set<std::string, std::less<>>& texts) {
  std::vector<std::string_view> root;
  std::set<std::string> extensions;
  bool are_files = true;
  bool is_first = true;
  for (const std::string& text : texts) {
    if (!text.starts_with('/')) return std::nullopt;
    const std::string_view ending = extension(text);
    are_files = are_files && !ending.empty();
    if (!ending.empty()) extensions.emplace(ending);
  }
  bool refuses_hidden = true;
  for (const std::string& text : texts) {
    std::vector<std::string_view> parts = components(text);
    if (are_files && !parts.empty()) parts.pop_back();
    if (std::exchange(is_first, false)) root = parts;
    const auto [end, other] = std::ranges::mismatch(root, parts);
    root.erase(end, root.end());
  }
  for (const std::string& text : texts) {
    const std::vector<std::string_view> parts = components(text);
    refuses_hidden =
        refuses_hidden && std::none_of(parts.begin() + static_cast<std::ptrdiff_t>(root.size()),
                                       parts.end(), is_hidden);
  }
  PathConfig path{.refuse_hidden = refuses_hidden};
  for (const std::string_view part : root)
    path.root += "/" + std::string(part);
  if (path.root.empty() && texts.size() <= kNamedPathsMax) return std::nullopt;
  if (path.root.empty()) path.root = "/";
  if (are_files && extensions.size() <= kExtensionsMax) {
    path.kind = PathConfig::Kind::file;
    path.extensions.assign(extensions.begin(), extensions.end());
  }
  return LearnedPredicate{.predicate = PathPredicate(), .path = std::move(path)};
}

/// URLs by their hosts.
std::optional<LearnedPredicate> learn_urls(const std::set<std::string, std::less<>>& texts) {
  std::set<std::string> schemes;
  std::set<std::string> hosts;
  std::set<std::uint16_t> ports;
  bool has_own_port = false;
  for (const std::string& text : texts) {
    const auto url = read_url(text);
    if (!url.has_value() || !text.contains("://")) return std::nullopt;
    const std::size_t begin = text.find("://") + 3;
    std::string_view host = std::string_view(text).substr(begin);
    host = host.substr(0, host.find_first_of("/?#"));
    if (host.contains('@')) return std::nullopt;
    if (url->port.has_value()) host = host.substr(0, host.rfind(':'));
    std::string name;
    std::ranges::transform(host, std::back_inserter(name), lower_case);
    schemes.insert(url->scheme);
    hosts.insert(std::move(name));
    has_own_port = has_own_port || url->port.has_value();
    const auto port = url->port.has_value() ? url->port : default_port(url->scheme);
    if (port.has_value()) ports.insert(*port);
  }
  if (hosts.empty() || hosts.size() > kHostsMax) return std::nullopt;
  UrlPredicate url;
  url.form.schemes.assign(schemes.begin(), schemes.end());
  url.form.hosts.assign(hosts.begin(), hosts.end());
  if (has_own_port) url.form.ports.assign(ports.begin(), ports.end());
  return LearnedPredicate{.predicate = std::move(url)};
}

LearnedPredicate with_private_networks(LearnedPredicate learned) {
  std::get<UrlPredicate>(learned.predicate).form.allow_private = true;
  return learned;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

}  // namespace

void SeenValues::add(JsonValue value) {
  ++count_;
  switch (value.type()) {
    case JsonType::string:
      kinds_.texts = true;
      texts_.emplace(value.text());
      break;
    case JsonType::number:
      kinds_.numbers = true;
      break;
    case JsonType::boolean:
      kinds_.booleans = true;
      break;
    default:
      kinds_.others = true;
  }
  // One spelling for each string, the canonical one.
  std::string json;
  if (value.is(JsonType::string)) {
    append_json_string(json, value.text());
  } else {
    json = value.raw();
  }
  values_.insert(std::move(json));
}

bool SeenValues::are_relative_paths(std::string_view pointer) const {
  const auto is_relative = [](const std::string& text) { return !text.starts_with('/'); };
  const bool is_path = names_paths(pointer);
  const auto could_be = [is_path](const std::string& text) {
    const bool is_plain = !text.contains("://") && !text.contains('@') && !text.contains('\n');
    return is_plain && (is_path || text.contains('/') || has_file_extension(text));
  };
  // A name is no evidence if none of its values looks like a path. Other values are evidence by
  // themselves.
  const auto shows_it = [is_path](const std::string& text) {
    const bool has_slash = text.contains('/');
    return is_path ? has_slash || has_file_extension(text) : has_slash && has_file_extension(text);
  };
  return std::ranges::any_of(texts_, is_relative) && std::ranges::all_of(texts_, could_be) &&
         std::ranges::any_of(texts_, shows_it);
}

/// Asks the predicate itself, as the gateway will.
bool SeenValues::fits(const LearnedPredicate& learned, std::string_view cwd) const {
  std::map<std::string, PathConfig, std::less<>> paths;
  Predicate predicate = learned.predicate;
  if (learned.path.has_value()) {
    paths.emplace("learned", *learned.path);
    predicate = PathPredicate{.path = "learned"};
  }
  const auto compiled = compile_predicate(predicate, paths);
  JsonDocument document;
  return compiled != nullptr && std::ranges::all_of(values_, [&](const std::string& json) {
           const Bytes bytes{std::string_view(json)};
           const Result<JsonValue> value = document.read(bytes, kResponseLimits);
           ValueFacts facts{.cwd = cwd};
           return value.has_value() && judge_value(*compiled, *value, facts) == Reason::none;
         });
}

std::optional<LearnedPredicate> SeenValues::learn(const ArgumentUse& use) const {
  if (kinds_.others || values_.empty()) return std::nullopt;
  if (kinds_.texts && !kinds_.numbers && !kinds_.booleans) return learn_text(use);
  if (kinds_.numbers && !kinds_.texts && !kinds_.booleans) {
    const auto by_value = [](const std::string& one, const std::string& other) {
      return compare(JsonDecimal(one), JsonDecimal(other)) < 0;
    };
    const auto [min, max] = std::minmax_element(values_.begin(), values_.end(), by_value);
    return LearnedPredicate{.predicate = NumberPredicate{.min = *min, .max = *max}};
  }
  if (values_.size() > kNamedMax) return std::nullopt;
  return LearnedPredicate{.predicate = OneOfPredicate{.values = {values_.begin(), values_.end()}}};
}

std::optional<LearnedPredicate> SeenValues::learn_text(const ArgumentUse& use) const {
  using Form = ArgumentUse::Form;
  TextPredicate text{.max_length = 0, .compact = use.form == Form::compacted};
  for (const std::string& one : texts_)
    text.max_length = std::max<std::uint64_t>(*text.max_length, characters(one));
  // A compacted text differs from the sent one, and is at most as long.
  if (use.form == Form::compacted) return LearnedPredicate{.predicate = std::move(text)};
  auto paths = learn_paths(texts_);
  if (paths.has_value() && fits(*paths, use.cwd)) return paths;
  auto urls = learn_urls(texts_);
  if (urls.has_value() && fits(*urls, use.cwd)) return urls;
  if (urls.has_value() && fits(with_private_networks(*urls), use.cwd)) {
    return with_private_networks(*urls);
  }
  if (texts_.size() > kNamedMax && !use.cwd.empty() && are_relative_paths(use.pointer)) {
    auto from_cwd = learn_paths(made_absolute(texts_, use.cwd));
    if (from_cwd.has_value() && fits(*from_cwd, use.cwd)) return from_cwd;
  }
  const bool are_paths =
      std::ranges::all_of(texts_, [](const std::string& one) { return one.starts_with('/'); });
  const bool are_short = std::ranges::all_of(
      texts_, [](const std::string& one) { return one.size() <= kNamedBytesMax; });
  if (texts_.size() <= kNamedMax ? are_short : are_paths && texts_.size() <= kNamedPathsMax) {
    return LearnedPredicate{.predicate =
                                OneOfPredicate{.values = {values_.begin(), values_.end()}}};
  }
  constexpr std::array kClasses{CharacterClass::letters,     CharacterClass::digits,
                                CharacterClass::punctuation, CharacterClass::symbols,
                                CharacterClass::spaces,      CharacterClass::tabs,
                                CharacterClass::line_ends};
  LearnedPredicate learned{.predicate = text};
  text.classes.assign(kClasses.begin(), kClasses.end());
  if (!fits({.predicate = text}, use.cwd)) return learned;
  // Removes each class that no value needs.
  for (const CharacterClass one : kClasses) {
    TextPredicate without = text;
    std::erase(without.classes, one);
    if (!without.classes.empty() && fits({.predicate = without}, use.cwd))
      text = std::move(without);
  }
  learned.predicate = std::move(text);
  return learned;
}

}  // namespace bartizan
