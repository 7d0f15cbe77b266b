#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/config.h"
#include "config/problems.h"

namespace bartizan {

/// A warning for each table `[KEY.NAME]` that no predicate of its kind names: it has no effect.
/// `named` are the names with other uses.
template <class Asked, class Form>
void warn_of_unused(const Config& config, const std::string& key,
                    const std::map<std::string, Form, std::less<>>& forms,
                    std::vector<ConfigProblem>& problems, std::set<std::string_view> named = {}) {
  for (const ArgumentPredicate* argument : predicates_of(config)) {
    if (const auto* asked = std::get_if<Asked>(&argument->predicate)) named.insert(asked->name);
  }
  for (const auto& [name, form] : forms) {
    if (named.contains(name)) continue;
    problems.push_back(
        {.severity = ConfigProblem::Severity::warning,
         .where = text(config, form.where),
         .message = "[" + key + "." + name + "] guards nothing: no [tool.…] and no rule names it",
         .hint = R"(write [tool."SERVER/*".arguments] "/)" + key + R"(" = { )" + key + R"( = ")" +
                 name + R"(" })"});
  }
}

}  // namespace bartizan
