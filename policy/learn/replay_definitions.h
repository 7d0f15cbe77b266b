#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "config/config.h"
#include "policy/explain/case_call.h"
#include "policy/learn/capture.h"

namespace bartizan {

/// The definitions of tools in captured calls, each compiled on first use.
///
/// Lifetime: views the configuration and the capture.
class ReplayDefinitions {
 public:
  ReplayDefinitions(const Config& config, const Capture& capture);

  /// The definition that the call was judged by. If the capture does not have it: that of the same
  /// tool elsewhere in the capture, that of the lock file, or an assumed one. Null if the call is
  /// not for a tool, or its server listed no such tool.
  const ToolDefinition* find(const CapturedCall& call);
  /// The tools whose definition was assumed, as `server/tool`.
  std::set<std::string> assumed() const { return others_.assumed(); }

 private:
  const ToolDefinition* compiled(const std::string& fingerprint);

  const Config& config_;
  const Capture& capture_;
  std::map<std::string, std::string, std::less<>> latest_ = {};  ///< Fingerprints, by tool.
  std::map<std::string, std::unique_ptr<const ToolDefinition>, std::less<>> compiled_ = {};
  const DescribedDefinitions none_ = {};
  Definitions others_;
};

}  // namespace bartizan
