#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "gateway/review/command_output.h"
#include "policy/explain/who_can.h"

namespace bartizan {

/// An answered question, with the configuration that it was put to.
struct ToldWhoCan {
  const Config& config;
  const WhoCan& who;
  std::string tool;    ///< `server/tool`.
  std::string source;  ///< Which policy that is, in words.
};

/// What has to hold where a caller can only `sometimes`, a sentence each.
std::vector<std::string> told_conditions(const ToldWhoCan& told, const WhoCanAnswer& answer);

/// Who may, who may under conditions, who may not, and which claims lead to the roles of the first
/// two, for people. Callers with the same answer stand in one line.
void write_who_can(const ToldWhoCan& told, const CommandOutput& output);

/// All answers for programs: one entry a caller.
JsonObject who_can_json(const ToldWhoCan& told);

}  // namespace bartizan
