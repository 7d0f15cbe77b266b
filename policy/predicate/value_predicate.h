#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>

#include "config/config.h"
#include "policy/path/digest_set.h"
#include "policy/path/path.h"
#include "policy/predicate/number_range.h"
#include "policy/predicate/text_form.h"
#include "policy/predicate/value_set.h"
#include "policy/shell/check_command.h"
#include "policy/sql/check_sql.h"
#include "policy/url/check_url.h"
#include "policy/verdict/reason.h"
#include "policy/verdict/value_facts.h"
#include "schemas/json/json.h"

namespace bartizan {

/// A predicate on values, compiled.
using ValuePredicate = std::variant<PathRules, NumberRange, ValueSet, TextForm, UrlRules, SqlRules,
                                    CommandRules, DigestSet>;

/// The compiled predicate; null for `absent`, which requires that there is no value. A path that
/// `paths` lacks accepts nothing.
std::shared_ptr<const ValuePredicate> compile_predicate(
    const Predicate& predicate, const std::map<std::string, PathConfig, std::less<>>& paths);

/// Whether it asks about the disk or DNS.
bool asks_outside(const ValuePredicate& predicate);

/// `none`, or the reason of the refusal. Allocates only for a refusal. An array passes, with its
/// contents, only as a command. A predicate refuses if its fact was not gathered, except while
/// questions are collected (`ValueFacts::outside`).
Reason judge_value(const ValuePredicate& predicate, JsonValue value, ValueFacts& facts);

}  // namespace bartizan
