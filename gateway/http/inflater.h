#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "schemas/base/result.h"

struct z_stream_s;

namespace bartizan {

/// Decodes a body with the gzip coding, one piece at a time. So the output is bounded by what the
/// caller takes, even if few bytes expand to many.
///
/// Errors:  http_framing for bytes that are not gzip, or that follow its end; fault server.
/// Threads: one at a time.
/// Cost:    40 KiB of memory and a buffer of 64 KiB.
/// Source:  RFC 1952; RFC 9110 §8.4.1.3.
class Inflater {
 public:
  Inflater();
  Inflater(Inflater&&) noexcept;
  Inflater& operator=(Inflater&&) noexcept;
  ~Inflater();

  /// Adds bytes of the body. Input: all earlier bytes were decoded, so that `step` returned
  /// nothing. Lifetime: `coded` is read until that happens again.
  void give(std::string_view coded);
  /// Returns the next decoded piece. It is empty if more bytes are needed, and at the end. Valid
  /// until the next call.
  Result<std::string_view> step();
  /// Whether the coding has ended. A body that ends earlier is cut short.
  bool is_done() const { return is_done_; }

 private:
  std::unique_ptr<z_stream_s> stream_;
  std::vector<char> room_;
  bool is_done_ = false;
};

}  // namespace bartizan
