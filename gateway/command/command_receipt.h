#pragma once

#include <string>

#include "gateway/command/command_audit.h"
#include "gateway/command/verify_heads.h"
#include "gateway/review/command_output.h"

namespace bartizan {

/// `bartizan audit receipt ID [FILE] --heads FILE --head-key FILE`: a JSON document that proves
/// what the record has of one call, to whoever has the public key and nothing else. It has the
/// records of the call, what links them to a signed head, and that head. Source:
/// docs/signed-heads.md.
struct ReceiptOptions {
  std::string id;  ///< Of the decision, whole or how it begins.
  RecordPlace record = {};
  HeadOptions heads = {};
};
int write_receipt(const ReceiptOptions& options, const CommandOutput& output);

}  // namespace bartizan
