#include "gateway/command/explain_predicate.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/parse_units.h"
#include "config/problems.h"
#include "policy/text/argument_pointer.h"
#include "policy/text/match.h"

namespace bartizan {
namespace {

/// The most values, hosts or names shown per predicate.
constexpr std::size_t kToldMax = 8;

/// Calls `tell` with each predicate on the argument, and its profile.
template <class Tell>
void for_each_asked(const Record& record, const Config& config, const Tell& tell) {
  const std::string_view pointer = told_argument(record.detail).pointer;
  if (pointer.empty()) return;
  const std::string name = fmt::format("{}/{}", record.server, record.target);
  for (const ToolProfile& profile : config.tools) {
    if (!Glob(profile.pattern).matches(name)) continue;
    for (const ArgumentPredicate& asked : profile.arguments) {
      if (selects(asked.pointer, pointer)) tell(profile, asked.predicate);
    }
  }
}

void add_once(std::vector<std::string>& texts, std::string text) {
  if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
}

/// `a, b, c and 12 more`
std::string shortened(const std::vector<std::string>& texts) {
  const std::size_t told = std::min(texts.size(), kToldMax);
  std::string list = fmt::format(
      "{}", fmt::join(texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(told), ", "));
  if (told < texts.size()) list += fmt::format(" and {} more", texts.size() - told);
  return list;
}

std::string told_path(const PathConfig& path) {
  std::string told = "a path";
  if (path.kind == PathConfig::Kind::file) told = "a file";
  if (path.kind == PathConfig::Kind::directory) told = "a directory";
  told += fmt::format(" below {} of [path.{}]", path.root, path.name);
  if (!path.extensions.empty()) told += fmt::format(" with {}", shortened(path.extensions));
  if (path.refuse_hidden) told += ", without hidden names";
  if (path.resolve == PathConfig::Resolve::filesystem) told += ", with links followed";
  if (path.content == PathConfig::Content::text) told += ", text files only";
  if (!path.allow.empty()) told += fmt::format(", of {}", shortened(path.allow));
  if (!path.deny.empty()) told += fmt::format(", not {}", shortened(path.deny));
  if (!path.deny_names.empty()) told += fmt::format(", no name {}", shortened(path.deny_names));
  if (!path.writable) return told;
  if (path.writable->empty()) return told + ", for reading only";
  return told + fmt::format(", and {} where the tool may write", shortened(*path.writable));
}

/// Describes the accepted values. The text has nothing from the call.
struct Telling {
  const Config& config;

  std::string operator()(const PathPredicate& path) const {
    const auto named = config.paths.find(path.path);
    if (named == config.paths.end()) return fmt::format("a path in [path.{}]", path.path);
    return told_path(named->second);
  }
  std::string operator()(const NumberPredicate& number) const {
    if (number.min.empty() && number.max.empty()) return "a number";
    if (number.max.empty()) return fmt::format("a number of at least {}", number.min);
    if (number.min.empty()) return fmt::format("a number of at most {}", number.max);
    return fmt::format("a number from {} to {}", number.min, number.max);
  }
  std::string operator()(const OneOfPredicate& one_of) const {
    return "one of " + shortened(one_of.values);
  }
  std::string operator()(const TextPredicate& text) const {
    std::string form = "a text";
    if (text.max_length) {
      form += fmt::format(" with a length from {} to {}", text.min_length, *text.max_length);
    } else if (text.min_length > 0) {
      form += fmt::format(" with a length of at least {}", text.min_length);
    }
    if (!text.matches.empty()) form += " that matches " + quote(text.matches);
    if (!text.classes.empty()) form += " of the characters of its classes";
    return form;
  }
  std::string operator()(const DigestPredicate& digest) const {
    const std::string one_of = "one of " + format_count(digest.sha256.size(), "digest");
    if (digest.path.empty()) return "a text with " + one_of;
    return fmt::format("a file in [path.{}] with {}", digest.path, one_of);
  }
  std::string operator()(const FixedPredicate& fixed) const { return "always " + fixed.value; }
  std::string operator()(const AbsentPredicate& /*absent*/) const { return "absent"; }
  std::string operator()(const CommandPredicate& command) const {
    const CommandForm& form = command.form;
    const std::string what = form.arguments_of.empty() ? "a command of " + shortened(form.programs)
                                                       : "arguments of " + form.arguments_of;
    return fmt::format("{}, as defined in [command.{}]", what, command.name);
  }
  std::string operator()(const UrlPredicate& url) const {
    const UrlForm& form = url.form;
    std::string told =
        fmt::format("a URL of {} to {}", shortened(form.schemes), shortened(form.hosts));
    if (!form.ports.empty()) told += fmt::format(", ports {}", fmt::join(form.ports, ", "));
    if (form.resolve) told += ", whose name resolves to an allowed address";
    return told;
  }
  std::string operator()(const SqlPredicate& sql) const {
    const SqlForm& form = sql.form;
    std::string told = fmt::format("a SQL statement on {}", shortened(form.tables));
    if (!form.deny_tables.empty()) told += fmt::format(", not {}", shortened(form.deny_tables));
    if (!form.functions) return told;
    if (form.functions->empty()) return told + ", without functions";
    return told + fmt::format(", with functions {}", shortened(*form.functions));
  }
};

/// The words of records of earlier versions for `text(OutsideRefusal)`.
constexpr std::pair<OutsideRefusal, std::string_view> kFormerTexts[] = {
    {OutsideRefusal::leads_out, "leads out of the root on the disk, through a link or after one"},
    {OutsideRefusal::leads_nowhere, "is, or lies behind, a link that leads to nothing"},
    {OutsideRefusal::leads_in_circles,
     "is, or lies behind, links that lead in a circle, or one of the kernel's own"},
    {OutsideRefusal::not_reachable,
     "cannot be reached: a folder on the way is missing, is none, or may not be entered"},
    {OutsideRefusal::not_readable,
     "may not be read by the gateway, which has to know what it holds"},
    {OutsideRefusal::too_long, "has a name that is longer than any on that disk"},
    {OutsideRefusal::is_too_large, "is larger than 10 MB, beyond which no file is digested"},
    {OutsideRefusal::has_other_digest, "has another content than its digests allow"},
    {OutsideRefusal::is_binary, "holds a NUL byte, or what is not UTF-8"},
    {OutsideRefusal::target_refused, "is a link to what is not allowed by its name"},
    {OutsideRefusal::address_refused, "has a name that leads to such an address"},
};

}  // namespace

ToldArgument told_argument(std::string_view detail) {
  constexpr std::string_view kArgument = "argument ";
  if (!detail.starts_with(kArgument)) return {};
  detail.remove_prefix(kArgument.size());
  const auto pointer_before = [detail](std::string_view told) {
    if (!detail.ends_with(told)) return std::string_view();
    const std::string_view pointer = detail.substr(0, detail.size() - told.size());
    return pointer.ends_with(' ') ? pointer.substr(0, pointer.size() - 1) : std::string_view();
  };
  for (std::size_t i = 1; i < kOutsideRefusals; ++i) {
    const auto refusal = static_cast<OutsideRefusal>(i);
    const std::string_view pointer = pointer_before(text(refusal));
    if (!pointer.empty()) return {pointer, refusal};
  }
  for (const auto& [refusal, told] : kFormerTexts) {
    const std::string_view pointer = pointer_before(told);
    if (!pointer.empty()) return {pointer, refusal};
  }
  return {detail};
}

std::string told_predicate(const Predicate& predicate, const Config& config) {
  return std::visit(Telling{config}, predicate);
}

std::vector<std::string> what_is_asked(const Record& record, const Config& config) {
  std::vector<std::string> asked;
  for_each_asked(record, config, [&](const ToolProfile& profile, const Predicate& predicate) {
    add_once(asked, fmt::format("{} by [tool.\"{}\"]", told_predicate(predicate, config),
                                profile.pattern));
  });
  return asked;
}

std::vector<std::string> roots_of(const Record& record, const Config& config) {
  std::vector<std::string> roots;
  for_each_asked(record, config, [&](const ToolProfile&, const Predicate& predicate) {
    const auto path = config.paths.find(path_name(predicate));
    if (path == config.paths.end()) return;
    add_once(roots, fmt::format("{} of [path.{}]", path->second.root, path->first));
  });
  return roots;
}

}  // namespace bartizan
