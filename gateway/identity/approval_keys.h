#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "audit/digest.h"
#include "config/approval_config.h"
#include "gateway/token/jwk_set.h"
#include "gateway/token/record_key.h"

namespace bartizan {

/// Whose decisions are taken that were signed elsewhere: `[approvals.key.NAME]`.
struct SignerKey {
  std::string name;
  std::string principal;  ///< Who decides by it.
  IssuerKey key;          ///< Named by its thumbprint.
};

/// The keys that `[approvals]` names, as they were read.
///
/// Threads: any; immutable.
struct ApprovalKeys {
  std::shared_ptr<const RecordKey> own = nullptr;       ///< `signing_key`; null for none.
  std::shared_ptr<const RecordKey> previous = nullptr;  ///< `previous_key`; null for none.
  std::vector<SignerKey> signers = {};
  Hash files{};  ///< Of all that was read: shows that a file was replaced.
};
using ApprovalKeysPtr = std::shared_ptr<const ApprovalKeys>;

/// Why a key cannot be used, and where the configuration names it. No sentence holds a part of it.
struct ApprovalKeyProblem {
  Position where;
  std::string detail;
  std::string hint = {};
  bool is_error = true;  ///< False for what this machine lacks, and another may have.
};

/// What was read. The keys without problems are there, so that all problems can be told.
struct ReadApprovalKeys {
  ApprovalKeys keys;
  std::vector<ApprovalKeyProblem> problems;
};

/// Reads the files and variables that hold them. Two names of one key are a problem: nobody could
/// say who signed. So is a signer whose key is the gateway's own.
/// Cost: reads from the disk.
ReadApprovalKeys read_approval_keys(const ApprovalsConfig& approvals);

}  // namespace bartizan
