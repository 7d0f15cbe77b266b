#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "gateway/review/command_output.h"
#include "policy/explain/who_can.h"

namespace bartizan {

/// An answered question, with its configuration.
struct ToldWhoCan {
  const Config& config;
  const WhoCan& who;
  std::string tool;    ///< `server/tool`.
  std::string source;  ///< The policy's origin, in words.
};

/// The conditions of a caller who can only `sometimes`, one sentence each.
std::vector<std::string> told_conditions(const ToldWhoCan& told, const WhoCanAnswer& answer);

/// For people: who may, who may under conditions, who may not, and which claims lead to the roles
/// of the first two. Callers with the same answer share a line.
void write_who_can(const ToldWhoCan& told, const CommandOutput& output);

/// All answers for programs: one entry per caller.
JsonObject who_can_json(const ToldWhoCan& told);

}  // namespace bartizan
