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

/// A signer of decisions from elsewhere: `[approvals.key.NAME]`.
struct SignerKey {
  std::string name;
  std::string principal;  ///< The principal that decides with it.
  IssuerKey key;          ///< Its id is the thumbprint.
};

/// The keys that `[approvals]` names, parsed.
///
/// Threads: any; immutable.
struct ApprovalKeys {
  std::shared_ptr<const RecordKey> own = nullptr;       ///< `signing_key`; null for none.
  std::shared_ptr<const RecordKey> previous = nullptr;  ///< `previous_key`; null for none.
  std::vector<SignerKey> signers = {};
  Hash files{};  ///< Over all that was read: it changes if a file is replaced.
};
using ApprovalKeysPtr = std::shared_ptr<const ApprovalKeys>;

/// The reason that a key cannot be used, with its place in the configuration. No sentence contains
/// a part of the key.
struct ApprovalKeyProblem {
  Position where;
  std::string detail;
  std::string hint = {};
  bool is_error = true;  ///< False for a file or variable that only this machine may lack.
};

/// The result of reading. It has the keys without problems, so that all problems can be reported.
struct ReadApprovalKeys {
  ApprovalKeys keys;
  std::vector<ApprovalKeyProblem> problems;
};

/// Reads the keys from their files and variables. Two names for one key are a problem: the signer
/// would be ambiguous. A signer with the gateway's own key is a problem, too.
/// Cost: reads from the disk.
ReadApprovalKeys read_approval_keys(const ApprovalsConfig& approvals);

}  // namespace bartizan
