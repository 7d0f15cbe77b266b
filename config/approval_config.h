#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/position.h"
#include "config/secret_reference.h"

namespace bartizan {

/// Whose approval a rule or a flow with `effect = "require_approval"` wants.
struct ApprovalTerms {
  std::vector<std::string> approvers = {};   ///< Roles, each of which may approve.
  std::vector<std::string> principals = {};  ///< `approver_principals`: who may approve, too.
  std::uint32_t approvals = 1;               ///< Persons who have to approve.
  bool self_approval = false;                ///< Whether callers may approve their own calls.
  std::chrono::seconds valid_for{600};       ///< How long an approval holds.

  bool names_anybody() const { return !approvers.empty() || !principals.empty(); }
  bool operator==(const ApprovalTerms&) const = default;
};

/// `[approvals.key.NAME]`: whose signed decisions are taken, wherever they were made.
struct ApprovalKeyConfig {
  std::string name = {};
  std::string file = {};       ///< Path of an Ed25519 public key, PEM.
  std::string principal = {};  ///< Who decides by it.
  Position where = {};
};

/// `[approvals.webhook]`: where requests for approval and decisions are announced.
struct ApprovalWebhookConfig {
  std::string url = {};         ///< `https://`, or `http://` on loopback.
  SecretReference secret = {};  ///< Of the HMAC that signs what is sent.
  std::string ca_file = {};     ///< `tls_ca`: PEM roots; system roots if empty.
  Position where = {};
};

/// `[approvals]`: how calls are asked for that rules want approved.
struct ApprovalsConfig {
  /// How long a call is held for people to decide, before its caller is told to come again; 45 s at
  /// most. 0 holds none.
  std::chrono::milliseconds wait{0};
  std::chrono::seconds expires{900};  ///< How long a request waits for people, 7 days at most.
  /// Under which people reach the console; empty: its own address.
  std::string url = {};
  /// Ed25519 private key, PEM, that decisions are signed with; without it they are not signed.
  SecretReference signing_key = {};
  /// The one before it, which says that the present one follows it.
  SecretReference previous_key = {};
  std::map<std::string, ApprovalKeyConfig, std::less<>> keys = {};
  std::optional<ApprovalWebhookConfig> webhook = {};
  Position where = {};
};

}  // namespace bartizan
