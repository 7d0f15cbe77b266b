#pragma once

#include <utility>

#include "gateway/launch/launcher.h"

namespace bartizan {

/// A child with a launcher of its own, which is forked from what this process is at that moment.
class StartedChild {
 public:
  explicit StartedChild(const ChildOptions& options)
      : launcher_(Launcher::start()),
        child_(launcher_.has_value() ? launcher_->launch(options)
                                     : std::unexpected(launcher_.error())) {}
  explicit operator bool() const { return child_.has_value(); }
  bool has_value() const { return child_.has_value(); }
  ChildProcess* operator->() { return &*child_; }
  ChildProcess& operator*() { return *child_; }
  const Error& error() const { return child_.error(); }

 private:
  Result<Launcher> launcher_;
  Result<ChildProcess> child_;  // Ends before its launcher.
};

}  // namespace bartizan
