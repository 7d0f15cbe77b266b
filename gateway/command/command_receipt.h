#pragma once

#include <string>

#include "gateway/command/command_audit.h"
#include "gateway/command/verify_heads.h"
#include "gateway/review/command_output.h"

namespace bartizan {

/// `bartizan audit receipt ID [FILE] --heads FILE --head-key FILE`: a JSON document that proves the
/// record of one call. Its reader needs only the public key. It has the records of the call, their
/// links to a signed head, and that head. Source: docs/signed-heads.md.
struct ReceiptOptions {
  std::string id;  ///< The decision's id, or its beginning.
  RecordPlace record = {};
  HeadOptions heads = {};
};
int write_receipt(const ReceiptOptions& options, const CommandOutput& output);

}  // namespace bartizan
