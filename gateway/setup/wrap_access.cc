#include "gateway/setup/wrap_access.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "config/parse_pattern.h"

namespace bartizan {
namespace {

constexpr std::string_view kRoot = "root";
/// A base that is relative itself: no relative path starts there.
constexpr std::string_view kNowhere = ".";
/// Usual names of path arguments. Servers may use others; the documentation says so.
constexpr std::array<std::string_view, 24> kPathArguments{
    "/path",     "/paths/*",   "/file",      "/file_path", "/filePath", "/filepath",
    "/filename", "/directory", "/dir",       "/folder",    "/source",   "/destination",
    "/src",      "/dst",       "/old_path",  "/new_path",  "/oldPath",  "/newPath",
    "/cwd",      "/workdir",   "/repo_path", "/repoPath",  "/root",     "/root_path"};

std::unexpected<Error> refuse(std::string detail) {
  return fail(ErrorCode::config_invalid, Fault::client, std::move(detail));
}

RuleConfig permit(std::string name, RuleTarget target, std::vector<std::string> patterns) {
  return {.name = std::move(name),
          .effect = Effect::permit,
          .roles = {std::string(kWrapRole)},
          .target = target,
          .patterns = std::move(patterns)};
}

RuleConfig forbid(std::string name, std::vector<std::string> patterns, std::string remediation) {
  return {.name = std::move(name),
          .effect = Effect::forbid,
          .roles = {std::string(kWrapRole)},
          .patterns = std::move(patterns),
          .remediation = std::move(remediation)};
}

Result<std::vector<std::string>> tool_patterns(const std::vector<std::string>& globs,
                                               std::string_view server, std::string_view option) {
  std::vector<std::string> patterns;
  for (const std::string& glob : globs) {
    std::string pattern = std::string(server) + "/" + glob;
    if (glob.empty() || find_tool_pattern_fault(pattern).has_value()) {
      return refuse(std::string(option) + " requires names of tools, such as read_file,list_*; \"" +
                    glob + "\" is no such name");
    }
    patterns.push_back(std::move(pattern));
  }
  return patterns;
}

/// A path as in a `file:` URI. Source: RFC 3986 §3.3, RFC 8089 §2.
std::string as_uri_path(std::string_view path) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  constexpr std::string_view kPlain = "/-._~!$&'()+,;=:@";
  std::string uri;
  for (const char c : path) {
    const bool is_alphanumeric = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
    if (is_alphanumeric || kPlain.contains(c)) {
      uri += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    uri += {'%', kHex[byte >> 4], kHex[byte & 0xf]};
  }
  return uri;
}

/// Servers differ in where they start a relative path: the official file server tries each of its
/// folders, whatever its working directory is. So a relative path is refused.
void add_root(Config& config, std::string_view server, std::string_view root) {
  const std::string name(kRoot);
  config.paths[name] = {.name = name,
                        .root = std::string(root),
                        .base = std::string(kNowhere),
                        .resolve = PathConfig::Resolve::filesystem};
  ToolProfile profile;
  profile.pattern = std::string(server) + "/**";
  for (const std::string_view pointer : kPathArguments) {
    profile.arguments.push_back({.pointer = std::string(pointer),
                                 .predicate = {PathPredicate{.path = name}},
                                 .optional = true});
  }
  config.tools.push_back(std::move(profile));
  config.policy.allow_unguarded_arguments = true;
}

}  // namespace

std::span<const std::string_view> wrapped_path_arguments() {
  return kPathArguments;
}

Result<void> add_wrap_access(Config& config, const WrapOptions& options, std::string_view server,
                             std::string_view root) {
  const std::string all = std::string(server) + "/**";
  auto named = tool_patterns(options.tools, server, "--tools");
  if (!named.has_value()) return std::unexpected(named.error());
  if (named->empty()) named->push_back(all);
  auto denied = tool_patterns(options.deny, server, "--deny");
  if (!denied.has_value()) return std::unexpected(denied.error());

  std::vector<RuleConfig> rules{permit("wrap-tools", RuleTarget::tools, *std::move(named)),
                                permit("wrap-prompts", RuleTarget::prompts, {all}),
                                permit("wrap-methods", RuleTarget::methods, {"*"})};
  std::vector<std::string> resources{all};
  if (!root.empty()) {
    add_root(config, server, root);
    const std::string uri = std::string(server) + "/file://" + as_uri_path(root);
    resources = {uri, uri + "/**"};
  }
  rules.push_back(permit("wrap-resources", RuleTarget::resources, std::move(resources)));
  if (!denied->empty()) {
    rules.push_back(forbid("wrap-deny", *std::move(denied), "You denied this tool with --deny."));
  }
  if (options.read_only) {
    RuleConfig rule =
        forbid("wrap-read-only", {all},
               "Only tools that you approved as read-only can be called. bartizan scan --run "
               "COMMAND shows "
               "their fingerprints, and wrap --approve TOOL=FINGERPRINT approves one.");
    rule.unless.facts.push_back({.fact = HintCondition{.hint = ToolHint::read_only}});
    rules.push_back(std::move(rule));
  }
  for (RuleConfig& rule : rules)
    config.rules.emplace(rule.name, std::move(rule));
  return {};
}

}  // namespace bartizan
