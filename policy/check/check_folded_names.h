#pragma once

#include <functional>
#include <map>
#include <string>

#include "config/config.h"
#include "policy/check/tool_profiles.h"
#include "policy/verdict/call.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// Does every name in the message mean the same to a parser that compares names exactly, and to one
/// that ignores letter case, such as Go's `encoding/json`?
///
/// In the arguments of a tool, a member is refused if its name folds (`folded_name`) to another
/// name in that place. These are names of the tool's input schema, of a schema of policy, and of
/// predicates, forced values included. Two names pass if the schema itself has both. Conditions of
/// rules check this themselves, and are undecidable then. Two members of one object that fold alike
/// are refused anywhere. They pass if the schema has both, or if nothing checks them and the server
/// has `folded_names = "forward"`.
///
/// It runs after `existence`, which has the definition. Of messages from servers, it checks
/// requests.
/// Cost:   one look at each name.
/// Source: CVE-2026-27896.
Decision check_folded_names(const ToolProfiles& profiles,
                            const std::map<std::string, ServerConfig, std::less<>>& servers,
                            const Call& call);

}  // namespace bartizan
