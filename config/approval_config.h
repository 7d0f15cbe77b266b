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

/// The approval terms of a rule or flow with `effect = "require_approval"`.
struct ApprovalTerms {
  std::vector<std::string> approvers = {};  ///< Roles; holders of any may approve.
  /// `approver_principals`: principals who may approve as well.
  std::vector<std::string> principals = {};
  std::uint32_t approvals = 1;          ///< Persons who must approve.
  bool self_approval = false;           ///< Whether callers may approve their own calls.
  std::chrono::seconds valid_for{600};  ///< How long an approval holds.

  bool names_anybody() const { return !approvers.empty() || !principals.empty(); }
  bool operator==(const ApprovalTerms&) const = default;
};

/// `[approvals.key.NAME]`: a key whose signed decisions count, wherever they were made.
struct ApprovalKeyConfig {
  std::string name = {};
  std::string file = {};       ///< Path of an Ed25519 public key, PEM.
  std::string principal = {};  ///< The principal who decides with this key.
  Position where = {};
};

/// `[approvals.webhook]`: the receiver of announcements of approval requests and decisions.
struct ApprovalWebhookConfig {
  std::string url = {};         ///< `https://`, or `http://` on loopback.
  SecretReference secret = {};  ///< HMAC key that signs the announcements.
  std::string ca_file = {};     ///< `tls_ca`: PEM roots; system roots if empty.
  Position where = {};
};

/// `[approvals]`: how people are asked for approvals.
struct ApprovalsConfig {
  /// How long a call is held while people decide; at most 45 s. Then the caller must call again. 0:
  /// calls are not held.
  std::chrono::milliseconds wait{0};
  std::chrono::seconds expires{900};  ///< How long a request stays open; at most 7 days.
  /// The console's URL for people; empty: its own address.
  std::string url = {};
  /// Ed25519 private key, PEM, that signs decisions. Without it decisions are not signed.
  SecretReference signing_key = {};
  /// The previous signing key. It signs the statement that the present key succeeds it.
  SecretReference previous_key = {};
  std::map<std::string, ApprovalKeyConfig, std::less<>> keys = {};
  std::optional<ApprovalWebhookConfig> webhook = {};
  Position where = {};
};

}  // namespace bartizan
