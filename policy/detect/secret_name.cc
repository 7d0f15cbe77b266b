#include "policy/detect/secret_name.h"

#include <algorithm>
#include <cstddef>

#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

constexpr std::string_view kJoints = "_.-";

/// Meanings of a preceding word: a number, a position, a model's vocabulary, or a public value.
constexpr std::string_view kHeads[] = {
    "max",          "min",        "num",         "total",      "next",       "page",
    "continuation", "pagination", "cursor",      "prev",       "previous",   "public",
    "pad",          "eos",        "bos",         "unk",        "sep",        "cls",
    "mask",         "special",    "stop",        "input",      "output",     "prompt",
    "completion",   "cached",     "sync",        "first",      "last",       "per",
    "forgot",       "reset",      "change",      "show",       "hide",       "toggle",
    "no",           "has",        "is",          "image",      "empty",      "missing",
    "invalid",      "wrong",      "weak",        "lost",       "forgotten",  "existing",
    "incorrect",    "enter",      "build",       "render",     "compile",    "expected",
    "starting",     "paging",     "idempotency", "idempotent", "resumption",
};

/// Meanings of a following word: a property of the secret.
constexpr std::string_view kTails[] = {
    "type",
    "name",
    "url",
    "uri",
    "path",
    "file",
    "filename",
    "id",
    "ids",
    "hash",
    "length",
    "len",
    "count",
    "counts",
    "limit",
    "limits",
    "expiry",
    "expires",
    "expiration",
    "ttl",
    "field",
    "label",
    "hint",
    "policy",
    "rotation",
    "algorithm",
    "required",
    "enabled",
    "reset",
    "strength",
    "regex",
    "pattern",
    "min",
    "max",
    "status",
    "version",
    "arn",
    "ref",
    "endpoint",
    "host",
    "provider",
    "store",
    "manager",
    "scope",
    "scopes",
    "format",
    "prefix",
    "header",
    "encoding",
    "digest",
    "fingerprint",
    "budget",
    "usage",
    "rate",
    "error",
    "message",
    "placeholder",
    "at",
    "date",
    "time",
    "age",
    "input",
    "class",
    "kind",
    "size",
    "index",
    "position",
    "expired",
    "valid",
    "confirmation",
    "in",
    "per",
    "env",
    "var",
    "variable",
    "description",
    "title",
    "text",
    "mode",
    "method",
    "changed",
    "updated",
    "created",
    "modified",
    "attempts",
    "retries",
    "failures",
    "lifetime",
    "validity",
    "timeout",
    "interval",
    "days",
    "hours",
    "minutes",
    "seconds",
    "history",
    "entropy",
    "score",
    "rounds",
    "iterations",
    "bits",
    "bytes",
    "chars",
    "characters",
    "cost",
    "last",
    "next",
    "set",
    "used",
    "rotated",
    "checked",
    "scanned",
    "found",
    "total",
    "number",
    "mgr",
    "handler",
    "service",
    "generator",
    "encoder",
    "factory",
    "client",
    "response",
    "request",
    "converter",
    "builder",
    "resolver",
    "repository",
    "filter",
    "parser",
    "authenticator",
    "customizer",
    "mtime",
    "ctime",
    "alg",
    "algs",
    "signing",
    "supported",
    "charset",
    "properties",
    "property",
    "parameters",
    "param",
    "config",
    "uris",
    "urls",
    "duration",
    "state",
    "stats",
    "spec",
    "selector",
    "source",
    "refs",
    "metadata",
    "alias",
    "namespace",
    "lifespan",
    "selectors",
    "parameter",
    "encryption",
    "names",
    "types",
    "req",
};

bool equal_folded(std::string_view text, std::string_view word) {
  return std::ranges::equal(text, word, {}, lower_case);
}

/// Whether a word of a mixed-case name begins there: `Max` of `nextMax` and of `HTTPMax`, but not
/// `MIN` of `ADMIN`.
bool begins_word(std::string_view name, std::size_t at) {
  if (!is_upper(name[at])) return false;
  const bool goes_on_low = at + 1 < name.size() && is_lower(name[at + 1]);
  return !is_upper(name[at - 1]) || goes_on_low;
}

/// Whether the preceding text ends with such a word: `next` of `next_`, `nextPage` of `nextPage`.
bool ends_with_head(std::string_view head) {
  while (!head.empty() && kJoints.contains(head.back()))
    head.remove_suffix(1);
  return std::ranges::any_of(kHeads, [head](std::string_view word) {
    if (head.size() < word.size()) return false;
    const std::size_t before = head.size() - word.size();
    if (!equal_folded(head.substr(before), word)) return false;
    return before == 0 || kJoints.contains(head[before - 1]) || begins_word(head, before);
  });
}

/// The first word of the following text, without separators.
std::string_view first_word(std::string_view tail) {
  while (!tail.empty() && kJoints.contains(tail.front()))
    tail.remove_prefix(1);
  std::size_t end = 0;
  while (end < tail.size() && !kJoints.contains(tail[end]) &&
         (end == 0 || !is_upper(tail[end]) || is_upper(tail[end - 1])))
    ++end;
  return tail.substr(0, end);
}

/// `tokenizer`, `secretary`, `passwordless`: whether it is another word, and not a plural or a
/// compound name.
bool is_other_word(std::string_view tail, bool is_upper_case) {
  if (tail.empty() || !is_letter(tail.front())) return false;
  constexpr std::string_view kGoesOn[] = {"s",   "key",    "keybase", "value",
                                          "str", "string", "token",   "word"};
  if (std::ranges::any_of(
          kGoesOn, [tail](std::string_view word) { return equal_folded(first_word(tail), word); }))
    return false;
  return is_upper_case ? true : is_lower(tail.front());
}

/// Whether a token only identifies a request or step, for idempotency: `ClientToken`,
/// `clientToken`, `client_request_token`, `LifecycleActionToken`. A `client_token` belongs to
/// Vault.
/// Source: AWS API references, "Ensuring idempotency".
bool names_request(std::string_view before, std::string_view word) {
  constexpr std::string_view kRequests[] = {"clientrequest",     "client_request_",
                                            "client-request-",   "lifecycleaction",
                                            "lifecycle-action-", "lifecycle_action_"};
  if (!equal_folded(word, "token")) return false;
  const auto ends_with = [before](std::string_view end) {
    return before.size() >= end.size() &&
           equal_folded(before.substr(before.size() - end.size()), end);
  };
  if (std::ranges::any_of(kRequests, ends_with)) return true;
  constexpr std::string_view kWhole[] = {"--client-", "--lock-", "lock_", "lock", "Lock"};
  if (std::ranges::find(kWhole, before) != std::end(kWhole)) return true;
  return word.starts_with('T') && (before == "client" || before.ends_with("Client"));
}

/// Whether a key belongs to somebody, unlike keys of tables and public keys: `PRIMARY_KEY`,
/// `SITE_KEY`.
bool names_own_key(std::string_view before) {
  constexpr std::string_view kOthers[] = {
      "primary",  "foreign", "sort",        "partition", "cache",      "public", "publishable",
      "site",     "hash",    "idempotency", "group",     "routing",    "object", "index",
      "registry", "unique",  "lookup",      "message",   "row",        "shard",  "hot",
      "dedup",    "bucket",  "anon",        "s3",        "storage_s3", "range",  "composite",
      "join",     "default", "i18n",        "host",      "verify",     "pub",
  };
  return std::ranges::none_of(kOthers, [before](std::string_view word) {
    if (before.size() < word.size()) return false;
    const std::size_t begin = before.size() - word.size();
    return equal_folded(before.substr(begin), word) && (begin == 0 || before[begin - 1] == '_');
  });
}

bool is_tail(std::string_view word) {
  return std::ranges::any_of(kTails,
                             [word](std::string_view said) { return equal_folded(word, said); });
}

std::string_view without_number(std::string_view name) {
  while (!name.empty() && is_digit(name.back()))
    name.remove_suffix(1);
  return name;
}

/// The last word of a name without digits: `id` of `CLIENT_SECRET_ID`, `Url` of `tokenUrl2`.
std::string_view last_word(std::string_view name) {
  name = without_number(name);
  std::size_t begin = name.size();
  while (begin > 0 && !kJoints.contains(name[begin - 1]) &&
         (begin == name.size() || !is_upper(name[begin]) || is_upper(name[begin - 1])))
    --begin;
  return name.substr(begin);
}

/// Public keys are not secrets: `publicKeyToken`.
bool names_public_key(std::string_view name) {
  constexpr std::string_view kPublic[] = {"publickey", "public_key", "public-key"};
  return std::ranges::any_of(kPublic, [name](std::string_view word) {
    return !std::ranges::search(name, word, {}, lower_case).empty();
  });
}

/// Classifies a path of names: `token.tagName` is the name of a tag, `db.password.value` is a
/// value.
SecretName classify_member(std::string_view member) {
  constexpr std::string_view kSame[] = {"value",  "default", "current", "plaintext",
                                        "string", "prod",    "dev",     "test",
                                        "raw",    "plain",   "staging"};
  constexpr std::string_view kWords[] = {"password", "passwd",     "secret", "token",
                                         "key",      "credential", "pass",   "pwd"};
  const bool is_same = std::ranges::any_of(
      kSame, [member](std::string_view word) { return equal_folded(member, word); });
  if (is_same || std::ranges::all_of(member, is_digit)) return SecretName::password;
  for (const std::string_view word : kWords) {
    const auto found = std::ranges::search(member, word, {}, lower_case);
    if (found.empty()) continue;
    const auto begin = static_cast<std::size_t>(found.begin() - member.begin());
    return classify_name(member, begin, begin + word.size());
  }
  return SecretName::none;
}

}  // namespace

SecretName classify_name(std::string_view name, std::size_t begin, std::size_t end) {
  const std::string_view word = name.substr(begin, end - begin);
  const std::string_view tail = name.substr(end);
  if (names_public_key(name)) return SecretName::none;
  if (tail.contains('.')) {
    const SecretName member = classify_member(name.substr(name.rfind('.') + 1));
    if (member == SecretName::none) return member;
    name.remove_suffix(name.size() - end - tail.find('.'));
    return classify_name(name, begin, end);
  }
  const bool is_upper_case = std::ranges::none_of(name, is_lower);
  if (is_other_word(tail, is_upper_case) || ends_with_head(name.substr(0, begin)))
    return SecretName::none;
  if (names_request(name.substr(0, begin), word)) return SecretName::none;
  // Many things are keys. Of names that only end with the word, only environment variables count.
  constexpr std::string_view kKey = "_key";
  if (equal_folded(word, kKey) && (!is_upper_case || !names_own_key(name.substr(0, begin)))) {
    return SecretName::none;
  }
  const std::string_view plural = first_word(tail);
  const bool is_plural = equal_folded(plural, "s");
  const std::string_view next = is_plural ? first_word(tail.substr(tail.find(plural) + 1)) : plural;
  if (is_tail(without_number(next))) return SecretName::none;
  if (end < name.size() && is_tail(last_word(name))) return SecretName::none;
  constexpr std::string_view kChosen[] = {"pass",       "pwd", "secret",
                                          "identified", "psk", "masterauth"};
  const bool is_chosen = std::ranges::any_of(kChosen, [word](std::string_view part) {
    return !std::ranges::search(word, part, {}, lower_case).empty();
  });
  return is_chosen ? SecretName::password : SecretName::key;
}

}  // namespace bartizan
