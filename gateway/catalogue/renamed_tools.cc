#include "gateway/catalogue/renamed_tools.h"

namespace bartizan {

RenamedTools::ToolPtr RenamedTools::find(const ToolPtr& listed, const RenamedArguments& names) {
  const auto found = made_.find(listed.get());
  if (found != made_.end() && found->second.names == names) return found->second.sent;
  if (made_.size() >= kToolsMax) made_.clear();
  ToolPtr sent = renamed_tool(*listed, names);
  made_.insert_or_assign(listed.get(), Made{listed, names, sent});
  return sent;
}

}  // namespace bartizan
