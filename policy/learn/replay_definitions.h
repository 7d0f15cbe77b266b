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

/// The definitions of tools that captured calls were about, compiled when they are first asked for.
///
/// Lifetime: views the configuration and the capture.
class ReplayDefinitions {
 public:
  ReplayDefinitions(const Config& config, const Capture& capture);

  /// What the call was judged by; where the capture does not say, what it says of the same tool
  /// elsewhere, the lock file's, or what is assumed. Null where no tool is called, or there is none
  /// such.
  const ToolDefinition* find(const CapturedCall& call);
  /// The tools whose definition was assumed, `server/tool`.
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
