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

/// A predicate that asks something of values, compiled.
using ValuePredicate = std::variant<PathRules, NumberRange, ValueSet, TextForm, UrlRules, SqlRules,
                                    CommandRules, DigestSet>;

/// The predicate ready to judge, or null for `absent`, which asks that there be no value. A path
/// that `paths` lacks holds nothing.
std::shared_ptr<const ValuePredicate> compile_predicate(
    const Predicate& predicate, const std::map<std::string, PathConfig, std::less<>>& paths);

/// Whether it asks what only the world outside can tell.
bool asks_outside(const ValuePredicate& predicate);

/// `none`, or why the value is refused. No memory where it is not. An array passes, with all that
/// is in it, only where it is a command. What asks for a fact that nobody has gathered refuses;
/// while questions are found (`ValueFacts::outside`) it does not.
Reason judge_value(const ValuePredicate& predicate, JsonValue value, ValueFacts& facts);

}  // namespace bartizan
