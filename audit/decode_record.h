#pragma once

#include <string>
#include <string_view>

#include "audit/record.h"
#include "schemas/base/result.h"

namespace bartizan {

/// Reads bodies that `encode_record` wrote.
///
/// Lifetime: a record's texts point into the body and into this reader, until it reads again.
/// Threads:  one at a time.
class RecordReader {
 public:
  RecordReader() = default;
  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;

  /// The record of `body`. It accepts a little more than the canonical form, so a verifier encodes
  /// what it read and compares the bytes; no other reading of "canonical" exists.
  Result<const Record*> read(std::string_view body);

 private:
  Record record_;
  std::string unescaped_;
};

}  // namespace bartizan
