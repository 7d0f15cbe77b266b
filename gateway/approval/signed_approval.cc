#include "gateway/approval/signed_approval.h"

#include <algorithm>
#include <array>
#include <optional>

#include "gateway/approval/approval_proof.h"
#include "gateway/token/base64url.h"
#include "gateway/token/signed_token.h"
#include "gateway/token/verify_signature.h"

namespace bartizan {
namespace {

/// The tolerated clock skew, in seconds.
constexpr std::int64_t kSkew = 60;
constexpr std::array<SignatureAlgorithm, 1> kAlgorithms{SignatureAlgorithm::eddsa};
constexpr JsonLimits kHeaderLimits{
    .bytes_max = kSignedApprovalMax, .values_max = 64, .depth_max = 4};

std::string sentence_of(TokenFault fault) {
  return std::string(entry_of(fault).sentence);
}

/// Why the claims do not approve that request now; empty if they do.
std::string_view find_defect(JsonValue claims, const SignerKey& signer,
                             const ApprovalRequest* pending, std::int64_t now) {
  if (claims.find("decision").text() != "approve") return "its decision is not an approval";
  const JsonValue approver = claims.find("approver");
  if (approver && approver.text() != signer.principal)
    return "its approver is not the key's principal";
  if (pending == nullptr || claims.find("approval").text() != pending->id) {
    return "it is for another request, or for one that is over";
  }
  if (claims.find("digest").text() != pending->digest) return "it is for another call";
  const std::optional<std::int64_t> expires = claims.find("exp").integer();
  const std::optional<std::int64_t> issued = claims.find("iat").integer();
  if (!expires.has_value()) return "it has no expiry in whole seconds (exp)";
  if (!issued.has_value()) return "it has no time of issue in whole seconds (iat)";
  if (*expires <= now) return "it has expired (exp)";
  if (*issued > now + kSkew) return "it was issued in the future (iat)";
  return "";
}

}  // namespace

bool is_signed_approval(std::string_view text) {
  const std::size_t first = text.substr(0, kSignedApprovalMax).find('.');
  if (first == text.npos) return false;
  auto decoded = decode_base64url(text.substr(0, first));
  if (!decoded.has_value()) return false;
  const Bytes bytes(*std::move(decoded));
  JsonDocument document;
  const auto header = document.read(bytes, kHeaderLimits);
  return header.has_value() && header->find("typ").text() == kApprovalType;
}

std::expected<const SignerKey*, std::string> check_signed_approval(
    std::string_view text, std::span<const SignerKey> signers, const ApprovalRequest* pending,
    std::int64_t now) {
  if (text.size() > kSignedApprovalMax) return std::unexpected("it is longer than 4 KiB");
  const auto token = SignedToken::read(text, kApprovalType);
  if (!token.has_value()) return std::unexpected(sentence_of(token.error()));
  const auto signer = std::ranges::find_if(
      signers, [&token](const SignerKey& one) { return one.key.id == token->jws().header.key_id; });
  if (!token->jws().header.key_id.has_value() || signer == signers.end()) {
    return std::unexpected("it names no key of [approvals] (kid)");
  }
  const auto verified = verify_signature(token->jws(), std::span(&signer->key, 1), kAlgorithms);
  if (!verified.has_value()) return std::unexpected(sentence_of(verified.error()));
  const std::string_view defect = find_defect(token->claims(), *signer, pending, now);
  if (!defect.empty()) return std::unexpected(std::string(defect));
  return &*signer;
}

}  // namespace bartizan
