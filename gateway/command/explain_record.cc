#include "gateway/command/explain_record.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gateway/command/explain_predicate.h"
#include "gateway/setup/wrap_access.h"
#include "policy/check/check_pin.h"
#include "policy/detect/string_scanner.h"
#include "policy/verdict/find_reason.h"
#include "policy/verdict/reason.h"

namespace bartizan {
namespace {

std::string_view without_truncated(std::string_view detail) {
  return detail.starts_with(kTruncated) ? detail.substr(kTruncated.size()) : detail;
}

/// The selector whose rules judge a method.
std::string_view selector_key(const Record& record) {
  if (record.method.starts_with("tools/")) return "tools";
  if (record.method.starts_with("prompts/")) return "prompts";
  return record.method.starts_with("resources/") ? "resources" : "methods";
}

/// The selector with the pattern for this call.
std::string selector(const Record& record) {
  const std::string_view key = selector_key(record);
  if (key == "methods" || record.target.empty()) {
    return fmt::format("methods = [\"{}\"]", record.method);
  }
  return fmt::format("{} = [\"{}/{}\"]", key, record.server, record.target);
}

/// Whether no server was found for the call.
bool is_nowhere(const Record& record) {
  return record.server.empty() && !record.target.empty() && selector_key(record) != "methods";
}

/// Whether there were too many findings to evaluate rules on them: `github.token withhold 10001`.
bool holds_too_much(const Record& record) {
  return std::ranges::any_of(record.redacted, [](std::string_view one) {
    const std::string_view digits = one.substr(one.rfind(' ') + 1);
    std::size_t count = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), count);
    return count > StringScanner::kFoundMax;
  });
}

std::string caller_of(const Record& record) {
  if (record.roles.empty()) return fmt::format("the principal {}", record.principal);
  return fmt::format("roles {}", fmt::join(record.roles, ", "));
}

/// Explains a name without a server: clients and rules spell it differently, which is easily
/// confused. Servers that no rule of the caller is about are not asked for lists, so nothing is
/// disclosed about them.
std::string of_no_server(const Record& record) {
  const std::string_view key = selector_key(record);
  if (key == "resources") {
    return fmt::format(
        "no running server that a rule of this caller covers lists {} or a template for it, or two "
        "list it; a rule that permits it to {} has resources = [\"SERVER:URI\"]",
        record.target, caller_of(record));
  }
  return fmt::format(
      "{} leads to no running server that a rule of this caller covers, or to two: clients call "
      "SERVER_NAME, or NAME with prefix = \"never\", as in their lists; a rule that permits it to "
      "{} has {} = [\"SERVER/NAME\"]",
      record.target, caller_of(record), key);
}

std::string of_rules(const Record& record) {
  if (record.check == "registrars") {
    return fmt::format("registrars of [endpoint.{}] has none of {}", record.endpoint,
                       caller_of(record));
  }
  if (is_nowhere(record)) return of_no_server(record);
  if (record.detail.starts_with("scope ")) {
    return fmt::format(
        "the token lacks the {}, which would give the roles or permissions for this; the client "
        "was asked (403, insufficient_scope) to have the user sign in for it",
        record.detail);
  }
  if (record.roles.size() == 1 && record.roles.front() == kWrapRole) {
    return "--tools of wrap does not name it, or --root does not have it below its folder";
  }
  return fmt::format("no rule permits this to {}; one with {} would", caller_of(record),
                     selector(record));
}

std::string_view argument_of(const Record& record) {
  return record.detail.empty() ? std::string_view("argument") : record.detail;
}

std::string of_predicates(const Record& record) {
  // The record does not repeat a name that a client may have invented.
  if (argument_of(record).ends_with("/*")) {
    return "the call had an argument that the tool's schema does not declare; its name is not "
           "recorded";
  }
  return fmt::format(
      "no predicate names the {}; add its pointer to [tool.\"{}/{}\".arguments], or set [policy] "
      "unguarded_arguments = \"allow\"",
      argument_of(record), record.server, record.target);
}

std::string of_limit(const Record& record) {
  // The name of the only rule of `wrap`; a configuration may use it too.
  const std::string_view or_option = record.rule == "local-user" ? ", or --rate of wrap" : "";
  return fmt::format("the limit {} was used up; [limit.{}] sets it{}", record.rule, record.rule,
                     or_option);
}

/// The predicates on an argument whose value they refused.
std::string of_asked(const Record& record, const Config* config, std::string_view without_config) {
  if (config == nullptr) {
    return fmt::format("the {} {}; --config FILE shows what is allowed", argument_of(record),
                       without_config);
  }
  const std::vector<std::string> asked = what_is_asked(record, *config);
  const std::string_view when =
      record.policy == config->digest ? "" : ", as the configuration is now";
  if (asked.empty()) {
    return fmt::format("the {} {}; no predicate is about it{}", argument_of(record), without_config,
                       when);
  }
  return fmt::format("the {} {}: it has to be {}{}", argument_of(record), without_config,
                     fmt::join(asked, ", and "), when);
}

/// Explains a refusal that the disk or a name server caused.
std::string of_outside(const Record& record, const Config* config) {
  const std::vector<std::string> asked =
      config == nullptr ? std::vector<std::string>() : what_is_asked(record, *config);
  std::string told = fmt::format("the gateway checked, and the {}", argument_of(record));
  if (asked.empty()) return told;
  const std::string_view when =
      record.policy == config->digest ? "" : ", as the configuration is now";
  return fmt::format("{}: it has to be {}{}", told, fmt::join(asked, ", and "), when);
}

std::string of_root(const Record& record, const Config* config) {
  const std::string_view argument = argument_of(record);
  if (config == nullptr)
    return fmt::format("the {} leads outside the root of its [path.…] or of wrap", argument);
  const std::vector<std::string> roots = roots_of(record, *config);
  const std::string_view when =
      record.policy == config->digest ? "" : ", as the configuration is now";
  if (roots.empty()) {
    return fmt::format("the {} led outside its root; no predicate names a [path.…] there{}",
                       argument, when);
  }
  // The record has the argument, but not the root that refused it.
  if (roots.size() > 1) {
    return fmt::format("the {} must stay in {}, and leads outside at least one{}", argument,
                       fmt::join(roots, " and "), when);
  }
  return fmt::format("the {} leads outside {}{}", argument, roots.front(), when);
}

}  // namespace

std::string meaning_of(const Record& record, const Config* config) {
  const std::optional<Reason> reason = find_reason(record.reason);
  if (record.reason.empty() || !reason.has_value()) return {};
  if (told_argument(record.detail).outside != OutsideRefusal::none) {
    return of_outside(record, config);
  }
  switch (*reason) {
    case Reason::no_matching_rule:
      return of_rules(record);
    case Reason::tool_unknown:
    case Reason::prompt_unknown:
    case Reason::resource_unknown:
      if (is_nowhere(record)) return of_no_server(record);
      break;
    case Reason::not_at_endpoint:
      return fmt::format(
          "[endpoint.{}] servers and tools do not show it; the client got the answer for an "
          "unknown name",
          record.endpoint);
    case Reason::session_limit:
      return "the principal had reached [session] max_concurrent, or all principals together "
             "max_concurrent_sessions; sessions end after [session] idle";
    case Reason::issuer_unavailable:
      return "the keys of the token's issuer could not be fetched (the log says why); known keys "
             "are used for keys_max_age of its [auth.issuer.…]";
    case Reason::resource_ambiguous:
      return "several servers list this URI: [server.…] resource_uris = \"named\" for all of them "
             "but one gives it one owner, and bartizan://SERVER/URI always names one of them";
    case Reason::argument_unguarded:
      return of_predicates(record);
    case Reason::forbidden:
      return fmt::format("rule {} forbids it, and a forbid beats every permit", record.rule);
    case Reason::limited:
      if (record.rule.empty())
        return "the caller was refused so often that its calls are not judged now";
      return of_limit(record);
    case Reason::call_loop:
      return fmt::format(
          "the caller repeated the same loop of calls as often as loop in [limit.{}] allows; "
          "another call, or a pause, ends the loop",
          record.rule);
    case Reason::flow_refused:
      return fmt::format(
          "the session, or the principal without sessions, had called tools with all labels in "
          "after of [flow.{}]",
          record.rule);
    case Reason::circuit_open:
      return fmt::format(
          "the server had failed as often as breaker in [server.{}] allows, so it got no calls",
          record.server);
    case Reason::permission_missing:
      return "none of the caller's roles has a permission that [tool.…] requires";
    case Reason::path_outside_root:
      return of_root(record, config);
    case Reason::path_malformed:
      return fmt::format(
          "the {} is empty or has something that some programs rewrite: a scheme, %-escapes, a "
          "leading ~, $ or quote, blanks around it, unusual dots or characters; a plain path "
          "passes",
          argument_of(record));
    case Reason::path_relative:
      return fmt::format(
          "the {} is relative; write cwd in [server.{}], or base in its [path.…], as the directory "
          "that it starts from, or have the client send absolute paths",
          argument_of(record), record.server);
    case Reason::path_not_allowed:
      return of_asked(record, config,
                      "is inside its root, but is hidden, denied, not writable or not a file");
    case Reason::path_extension_not_allowed:
      return of_asked(record, config, "has no extension, or one that is not allowed");
    case Reason::path_not_text:
      return of_asked(record, config, "names a file whose first 8 KiB are not UTF-8 text");
    case Reason::argument_missing:
      return fmt::format(
          "the call lacks the {}, which [tool.…] requires; with optional = true in its predicate "
          "it may be missing",
          argument_of(record));
    case Reason::argument_wrong_type:
      return fmt::format(
          "the {} is not of the type that its predicate in [tool.…] expects: a string for path, "
          "text, url and sql, a string or a list of strings for command, a number for number, a "
          "type that one_of has, a list where the pointer has a *",
          argument_of(record));
    case Reason::argument_not_allowed:
      return of_asked(record, config, "has a value that its predicate does not allow");
    case Reason::url_malformed:
      return fmt::format(
          "the {} is not a URL, or can be read in different ways: blanks, backslashes or control "
          "characters, an unusual notation of the host; a plain URL passes",
          argument_of(record));
    case Reason::url_not_allowed:
      return of_asked(record, config,
                      "is a URL with a scheme, host or port that is not allowed, or with a user or "
                      "password");
    case Reason::url_private:
      return fmt::format(
          "the {} leads to this machine, a private network or a reserved address; private_networks "
          "= \"allow\" in its url allows the first two",
          argument_of(record));
    case Reason::path_unresolved:
      return fmt::format(
          "the {} could not be resolved on the disk in time, which its path requires (resolve = "
          "\"filesystem\"): the disk did not answer within two seconds, or the gateway had too "
          "many questions to it open",
          argument_of(record));
    case Reason::path_unreachable:
      return fmt::format(
          "the {} cannot be followed on the disk, which its path requires (resolve = "
          "\"filesystem\"): the gateway's account may not enter a folder of it, a file is in the "
          "place of a folder, or a link has no target",
          argument_of(record));
    case Reason::url_unresolved:
      return fmt::format(
          "the name in the {} could not be resolved in time, which its url requires (resolve = "
          "true): there is no such name, or this machine's resolver does not answer",
          argument_of(record));
    case Reason::sql_malformed:
      return fmt::format(
          "the {} cannot be read as one SQL statement of its dialect: it is none or several, does "
          "not begin as first_byte says, is longer than 64 KiB, or databases read it in different "
          "ways",
          argument_of(record));
    case Reason::sql_not_allowed:
      return of_asked(record, config,
                      "is a SQL statement of another kind, with a comment, or with a table or "
                      "function that is not allowed");
    case Reason::command_malformed:
      return fmt::format(
          "the {} cannot be read as a command: it has an unclosed quote or parenthesis, a control "
          "character, a condition or loop (if, for, case), or something that shells read in "
          "different ways; a plain command passes",
          argument_of(record));
    case Reason::command_not_allowed:
      return of_asked(record, config,
                      "is a command with a program, argument or variable, or with syntax of the "
                      "shell, that is not allowed");
    case Reason::command_blocked:
      return fmt::format(
          "the {} would remove or open up system files, write to the machine's disks, or stop or "
          "fill the machine; no configuration allows that",
          argument_of(record));
    case Reason::argument_not_absent:
      return fmt::format("the {} is present, which a predicate in [tool.…] requires to be absent",
                         argument_of(record));
    case Reason::skill_quarantined:
      if (record.detail.empty()) break;
      return fmt::format(
          "what the server sent differs from its skills/list: {}; it passes again once the server "
          "makes both agree",
          record.detail);
    case Reason::tool_quarantined:
      if (record.detail.empty()) break;
      if (record.detail.starts_with("the registration ")) {
        return fmt::format("{}; bartizan registrations shows and approves it", record.detail);
      }
      if (is_pin_flaw(record.detail)) {
        // Without a configuration the record may be from `wrap`, which has no lock file.
        return fmt::format(
            "its present definition is not approved: it {}; bartizan pin CONFIG --diff shows it, "
            "--accept approves it{}, bartizan release accepts it until the gateway ends "
            "(docs/pinning.md)",
            record.detail, config == nullptr ? ", under wrap --approve NAME=FINGERPRINT does" : "");
      }
      return fmt::format(
          "the server's definition of it cannot be used ({}), and the server must fix it; "
          "docs/schemas.md explains each flaw, and which can be accepted",
          record.detail);
    case Reason::arguments_invalid:
      return fmt::format("the {} does not fit the input schema that the server lists",
                         argument_of(record));
    case Reason::argument_refused:
      return fmt::format(
          "the {} does not fit a schema of [tool.…], which applies in addition to the server's",
          argument_of(record));
    case Reason::reserved_member:
      return fmt::format(
          "the {} has a name that gives access to JavaScript's shared prototype; it passes where "
          "the server's schema has it among its properties",
          argument_of(record));
    case Reason::result_invalid:
      return fmt::format(
          "the {} does not fit the output schema that the server lists; [server.{}] "
          "output_schema = \"warn\" lets it pass",
          record.detail.empty() ? "result" : record.detail, record.server);
    case Reason::result_unjudged:
      return fmt::format(
          "the output schema that the server lists cannot be used, so the structured content was "
          "not validated and was left out; [server.{}] output_schema = \"warn\" lets it pass",
          record.server);
    case Reason::result_too_large:
      return fmt::format(
          "the {} exceeds what the profiles of the tool, [tool.\"…\"], allow{}",
          record.detail.empty() ? "result" : without_truncated(record.detail),
          record.detail.starts_with(kTruncated) ? "; the client got its first part" : "");
    case Reason::argument_withheld:
      return fmt::format(
          "found in the arguments: {}; a [redact.…] with in = [\"arguments\"] and action = "
          "\"withhold\" withholds all of them",
          record.detail.empty() ? "something" : record.detail);
    case Reason::client_capability_missing:
      return "the client asked for a task and does not declare io.modelcontextprotocol/tasks among "
             "the extensions of its capabilities";
    case Reason::task_unknown:
      return "the id was not given to this caller at this endpoint by this process, or its task "
             "has "
             "ended and was forgotten";
    case Reason::request_state_invalid:
      return "the client sent the request again with a requestState that this gateway did not "
             "issue for this request, or that is more than an hour old";
    case Reason::content_withheld:
      if (holds_too_much(record)) {
        return fmt::format(
            "detectors found something in more than {} places, {} first: a message with so many "
            "is withheld",
            StringScanner::kFoundMax, record.detail.empty() ? "one" : record.detail);
      }
      return fmt::format(
          "found in it: {}; a [redact.…] with action = \"withhold\", or a [sanitise.…] with "
          "\"refuse\" or injection = \"withhold\", withholds all of it",
          record.detail.empty() ? "something" : record.detail);
    case Reason::session_missing:
      return record.transport.empty() || record.transport == kind_of(Transport::http).name
                 ? "the header Mcp-Session-Id is missing: the client sent no initialize before, or "
                   "does not repeat the id that it got"
                 : "the client sent no initialize, which begins a session; handshake = \"implied\" "
                   "of its [endpoint.NAME] or of [client] serves it without";
    case Reason::none:
    case Reason::parse_error:
    case Reason::invalid_request:
    case Reason::invalid_params:
    case Reason::ambiguous_member:
    case Reason::header_mismatch:
    case Reason::unsupported_version:
    case Reason::method_not_found:
    case Reason::session_unknown:
    case Reason::http_malformed:
    case Reason::http_too_large:
    case Reason::http_method_not_allowed:
    case Reason::http_not_acceptable:
    case Reason::http_unsupported_media_type:
    case Reason::http_not_found:
    case Reason::proxy_header_invalid:
    case Reason::unauthenticated:
    case Reason::credentials_invalid:
    case Reason::credentials_expired:
    case Reason::principal_unknown:
    case Reason::origin_not_allowed:
    case Reason::host_not_allowed:
    case Reason::revoked:
    case Reason::blocked:
    case Reason::sign_in_refused:
    case Reason::grant_replayed:
    case Reason::redirect_not_allowed:
    case Reason::role_missing:
    case Reason::csrf_token_invalid:
    case Reason::needs_approval:
    case Reason::approval_denied:
    case Reason::approval_too_large:
    case Reason::client_feature_not_allowed:
    case Reason::secret_requested:
    case Reason::not_pending:
    case Reason::argument_undecidable:
    case Reason::schema_too_costly:
    case Reason::overloaded:
    case Reason::not_recordable:
    case Reason::shutting_down:
    case Reason::gateway_stopped:
    case Reason::server_unavailable:
    case Reason::server_timeout:
    case Reason::server_failed:
    case Reason::internal:
      break;
  }
  std::string sentence(message_of(*reason));
  if (sentence.ends_with('.')) sentence.pop_back();
  return sentence;
}

}  // namespace bartizan
