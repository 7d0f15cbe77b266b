#pragma once

#include <string>
#include <string_view>

#include "audit/record.h"
#include "schemas/base/result.h"

namespace bartizan {

/// Reads bodies that `encode_record` wrote.
///
/// Lifetime: texts of a record point into the body and into this reader, until the next read.
/// Threads:  one at a time.
class RecordReader {
 public:
  RecordReader() = default;
  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;

  /// The record of `body`. Accepts a little more than the canonical form. So a verifier encodes the
  /// record again and compares the bytes. There is no other definition of "canonical".
  Result<const Record*> read(std::string_view body);

 private:
  Record record_;
  std::string unescaped_;
};

}  // namespace bartizan
