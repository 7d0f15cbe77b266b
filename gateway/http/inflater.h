#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "schemas/base/result.h"

struct z_stream_s;

namespace bartizan {

/// Reads a body in the gzip coding, a piece at a time, so that what a few bytes expand to is
/// bounded by what is taken of it.
///
/// Errors:  http_framing for bytes that are no gzip, or follow its end; fault server.
/// Threads: one at a time.
/// Cost:    40 KiB of memory and a buffer of 64 KiB.
/// Source:  RFC 1952; RFC 9110 §8.4.1.3.
class Inflater {
 public:
  Inflater();
  Inflater(Inflater&&) noexcept;
  Inflater& operator=(Inflater&&) noexcept;
  ~Inflater();

  /// More of the body. Input: all of what was given before has been taken (`step` answered
  /// nothing). Lifetime: `coded` is looked into until then.
  void give(std::string_view coded);
  /// The next piece of what the bytes mean; empty where more of them are needed, or at the end.
  /// Valid until the next call.
  Result<std::string_view> step();
  /// Whether the coding says that it is over: a body that ends before is cut short.
  bool is_done() const { return is_done_; }

 private:
  std::unique_ptr<z_stream_s> stream_;
  std::vector<char> room_;
  bool is_done_ = false;
};

}  // namespace bartizan
