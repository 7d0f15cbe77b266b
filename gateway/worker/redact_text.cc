#include "gateway/worker/redact_text.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "config/sanitising_names.h"
#include "gateway/runtime/clock.h"
#include "policy/detect/string_scanner.h"

namespace bartizan {
namespace {

/// Of everything that a record holds, what others than the operator worded.
constexpr std::array<std::string_view Record::*, 5> kForeign{&Record::target, &Record::method,
                                                             &Record::detail, &Record::client_name,
                                                             &Record::client_version};

/// Looks for what gives orders in what clients are told beside calls: a warning has no place in it.
bool lets_pass(Worker& worker, InjectionScreen screen, Carrier carrier, JsonValue root) {
  if (!is_screened(carrier)) return true;
  const Injections injections = worker.injections.scan(root);
  if (injections.found.empty()) return true;
  const bool is_withheld = screen == InjectionScreen::withhold;
  const InjectionScreen done = is_withheld ? screen : InjectionScreen::observe;
  count_sanitised(worker, carrier, {.found = screened(injections, done), .left = {}});
  return !is_withheld;
}

JsonValue said_of(JsonValue root, std::string_view member) {
  return member.empty() ? root : root.find(member);
}

/// Withholds what was left of a text where it has an app that nobody judged.
void note_unjudged(Worker& worker, const Sanitising& wanted, const RedactionScope& scope,
                   const Result<JsonValue>& left, std::string_view member,
                   Sanitisation& sanitised) {
  if (!left.has_value()) return;
  const Sanitisation unjudged = find_unjudged_app(wanted, *left, said_of(*left, member));
  count_sanitised(worker, scope.carrier, unjudged);
  for (const Sanitised& one : unjudged.found)
    add(sanitised.found, one);
  sanitised.is_withheld |= unjudged.is_withheld;
}

/// Takes out of a JSON text what nobody sees and what does something where it is shown; in it
/// `member` of the root says something, or all of it does.
Sanitisation sanitise_json(Worker& worker, const SanitisingRules& rules,
                           const RedactionScope& scope, std::string_view json,
                           std::string_view member) {
  const std::optional<Sanitising> wanted = rules.find(scope);
  if (!wanted.has_value()) return {};
  const Bytes bytes(json);
  std::unique_ptr<JsonDocument> document = worker.loop.lease_document();
  Result<JsonValue> seen = document->read(bytes, kRewrittenLimits);
  Sanitisation sanitised;
  if (seen.has_value()) {
    sanitised = sanitise(*wanted, *seen, said_of(*seen, member), scope.answered);
    count_sanitised(worker, scope.carrier, sanitised);
  }
  const bool is_changed = sanitised.left.has_value() && !sanitised.is_withheld;
  const Bytes again{is_changed ? std::string_view(*sanitised.left) : ""};
  if (is_changed) {
    seen = document->read(again, kRewrittenLimits);
    note_unjudged(worker, *wanted, scope, seen, member, sanitised);
  }
  const bool passes = seen.has_value() && !sanitised.is_withheld &&
                      lets_pass(worker, wanted->injection, scope.carrier, *seen);
  sanitised.is_withheld = !passes;
  if (!passes) sanitised.left.reset();
  worker.loop.give_back(std::move(document));
  return sanitised;
}

Sanitisation sanitise_text(Worker& worker, const SanitisingRules& rules,
                           const RedactionScope& scope, std::string_view said) {
  const std::optional<Sanitising> wanted = rules.find(scope);
  if (!wanted.has_value()) return {};
  Sanitisation sanitised = sanitise(*wanted, said);
  count_sanitised(worker, scope.carrier, sanitised);
  return sanitised;
}

/// What is left of a JSON text that was redacted: a mark ends with a bracket, and what stands
/// behind it may make a link of the two. Nothing where it is no message any more: two names that
/// are told apart by what was taken out may be one now.
std::optional<std::string> sanitised_again(JsonDocument& document, const SanitisingRules& rules,
                                           const RedactionScope& scope, std::string left,
                                           std::string_view member) {
  const std::optional<Sanitising> wanted = rules.find(scope);
  for (int times = 0;; ++times) {
    const Bytes bytes{std::string_view(left)};
    const Result<JsonValue> root = document.read(bytes, kRewrittenLimits);
    if (!root.has_value()) return std::nullopt;
    if (!wanted.has_value()) break;
    const JsonValue said = said_of(*root, member);
    if (times > 0 && find_unjudged_app(*wanted, *root, said).is_withheld) return std::nullopt;
    if (times == 2) break;
    Sanitisation again = sanitise(*wanted, *root, said, scope.answered);
    if (again.is_withheld) return std::nullopt;
    if (!again.left.has_value()) break;
    left = *std::move(again.left);
  }
  return left;
}

}  // namespace

void count_redacted(Worker& worker, Carrier carrier, const Redacted& redacted) {
  worker.loop.metrics().add(
      Metric::redactions,
      std::array<std::string_view, 3>{redacted.detector, redacted.action, text(carrier)},
      redacted.count);
}

void count_redacted(Worker& worker, Carrier carrier, const Redaction& redaction) {
  for (const Redacted& one : redaction.redacted)
    count_redacted(worker, carrier, one);
}

void count_sanitised(Worker& worker, Carrier carrier, const Sanitisation& sanitised) {
  for (const Sanitised& one : sanitised.found) {
    worker.loop.metrics().add(Metric::sanitisings,
                              std::array<std::string_view, 3>{one.what, one.action, text(carrier)},
                              one.count);
  }
}

std::vector<Sanitised> found_in(const Mended& mended) {
  std::vector<Sanitised> found;
  const auto add = [&found](std::string_view what, std::string_view action, std::uint32_t count) {
    if (count > 0) found.push_back({.what = what, .action = action, .count = count});
  };
  add("surrogate", "replace", mended.surrogates);
  add("null", "remove", mended.nulls);
  add("empty-list", "remove", mended.empty_lists);
  return found;
}

bool is_screened(Carrier carrier) {
  return carrier != Carrier::definitions && carrier != Carrier::records;
}

std::vector<Sanitised> screened(const Injections& injections, InjectionScreen screen,
                                std::string_view by) {
  std::vector<Sanitised> all;
  all.reserve(injections.found.size());
  for (const FoundInjection& one : injections.found)
    all.push_back({text(one.family), text(screen), one.count, std::string(by)});
  return all;
}

RedactionScope once_sanitised(const Policy& policy, RedactionScope scope) {
  scope.hiding = policy.sanitisings().residual_hiding(scope);
  return scope;
}

RedactedText redact_json(Worker& worker, const Policy& policy, const RedactionScope& scope,
                         std::string_view json, std::string_view member) {
  Sanitisation seen = sanitise_json(worker, policy.sanitisings(), scope, json, member);
  RedactedText done{.left = {}, .sanitised = std::move(seen.found), .redacted = {}};
  if (seen.is_withheld) return done;
  const Bytes bytes{seen.left.has_value() ? std::string_view(*seen.left) : json};
  std::unique_ptr<JsonDocument> document = worker.loop.lease_document();
  const Result<JsonValue> root = document->read(bytes, kRewrittenLimits);
  if (root.has_value()) {
    const JsonValue said = said_of(*root, member);
    Redaction redaction =
        worker.redactor.redact(policy.redactions(), once_sanitised(policy, scope), *root, said);
    count_redacted(worker, scope.carrier, redaction);
    if (scope.principal != nullptr)
      worker.gateway.tokens.keep(scope.principal->id, scope.server, redaction.tokens);
    if (!redaction.is_withheld) append_redacted(done.left.emplace(), bytes.view(), redaction.edits);
    if (!redaction.edits.empty() && done.left.has_value()) {
      done.left =
          sanitised_again(*document, policy.sanitisings(), scope, *std::move(done.left), member);
    }
    done.redacted = std::move(redaction.redacted);
  }
  worker.loop.give_back(std::move(document));
  return done;
}

RedactedText redact_text(Worker& worker, const Policy& policy, const RedactionScope& scope,
                         std::string_view said) {
  Sanitisation seen = sanitise_text(worker, policy.sanitisings(), scope, said);
  RedactedText done{.left = {}, .sanitised = std::move(seen.found), .redacted = {}};
  if (seen.is_withheld) return done;
  const std::string_view text = seen.left.has_value() ? std::string_view(*seen.left) : said;
  Redaction redaction =
      worker.redactor.redact(policy.redactions(), once_sanitised(policy, scope), text);
  count_redacted(worker, scope.carrier, redaction);
  if (!redaction.is_withheld) append_redacted(done.left.emplace(), text, redaction.edits);
  const std::optional<Sanitising> wanted = policy.sanitisings().find(scope);
  if (!redaction.edits.empty() && done.left.has_value() && wanted.has_value()) {
    Sanitisation again = sanitise(*wanted, *done.left);
    if (again.is_withheld) {
      done.left.reset();
    } else if (again.left.has_value()) {
      done.left = std::move(again.left);
    }
  }
  done.redacted = std::move(redaction.redacted);
  return done;
}

bool is_suspect(Worker& worker, const std::string& message) {
  const Bytes bytes{std::string_view(message)};
  std::unique_ptr<JsonDocument> document = worker.loop.lease_document();
  const Result<JsonValue> root = document->read(bytes, kRewrittenLimits);
  const bool holds_something =
      !root.has_value() || worker.redactor.finds_in(worker.snapshot->policy->redactions(), *root) ||
      may_need_sanitising(*root) || !worker.injections.scan(*root).found.empty();
  worker.loop.give_back(std::move(document));
  return holds_something;
}

std::optional<std::string> redact_event(Worker& worker, const Principal& principal,
                                        std::string_view server, const std::string& message,
                                        std::string_view before) {
  RedactionScope scope{.carrier = Carrier::notifications,
                       .server = server,
                       .principal = &principal,
                       .now = seconds_now()};
  if (!before.empty()) scope.before.push_back(before);
  return redact_json(worker, *worker.snapshot->policy, scope, message, "params").left;
}

std::string last_words_of(Worker& worker, std::string_view message, std::string_view before) {
  const Bytes bytes{message};
  std::unique_ptr<JsonDocument> document = worker.loop.lease_document();
  const Result<JsonValue> root = document->read(bytes, kRewrittenLimits);
  std::string words = root.has_value() ? last_words(root->find("params"), before) : "";
  worker.loop.give_back(std::move(document));
  return words;
}

std::string redact_line(Worker& worker, std::string_view server, std::string_view line) {
  return redact_text(worker, *worker.snapshot->policy,
                     {.carrier = Carrier::records, .server = server, .now = seconds_now()}, line)
      .left.value_or(std::string(kWithheldText));
}

EncodedRecord encode_redacted(Worker& worker, const Record& record) {
  // Almost always nothing is found, so that all are looked at together first; and what the record
  // before says as well is looked at once. How a call ended is told in fewer members.
  std::string& harmless = worker.harmless_texts[record.kind == RecordKind::outcome ? 0 : 1];
  std::string_view rest = harmless;
  const bool is_known = std::ranges::all_of(kForeign, [&](auto member) {
    const std::string_view text = record.*member;
    if (rest.size() <= text.size() || rest[text.size()] != '\0') return false;
    if (!rest.starts_with(text)) return false;
    rest.remove_prefix(text.size() + 1);
    return true;
  });
  if (is_known && rest.empty()) return encode_record(record);
  worker.record_text.clear();
  for (const auto member : kForeign) {
    worker.record_text += record.*member;
    worker.record_text += '\0';
  }
  const bool is_suspect = std::ranges::any_of(
      kForeign, [&](auto member) { return may_need_sanitising(record.*member); });
  if (!is_suspect &&
      !worker.redactor.finds_in(worker.snapshot->policy->redactions(), worker.record_text)) {
    std::swap(worker.record_text, harmless);
    return encode_record(record);
  }
  Record redacted = record;
  std::array<std::string, kForeign.size()> texts;
  for (std::size_t i = 0; i < kForeign.size(); ++i) {
    texts[i] = redact_line(worker, record.server, record.*kForeign[i]);
    redacted.*kForeign[i] = texts[i];
  }
  return encode_record(redacted);
}

}  // namespace bartizan
