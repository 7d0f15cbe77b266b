#include "gateway/client/remembered_proof.h"

#include "gateway/identity/grant_notes.h"
#include "gateway/identity/revocation_table.h"

#include <openssl/crypto.h>

#include <algorithm>

#include "schemas/base/same_secret.h"

namespace bartizan {

namespace {

std::string_view certificate_of(const Credentials& credentials) {
  return credentials.certificates.empty() ? std::string_view()
                                          : std::string_view(credentials.certificates.front());
}

}  // namespace

const Authenticated* RememberedProof::find(const Credentials& credentials,
                                           const SnapshotPtr& snapshot,
                                           const Moment& moment) const {
  const std::string_view shown = credentials.authorization.value_or("");
  if (moment.revocations != revocations_) return nullptr;
  if (moment.now >= until_ || shown.size() != authorization_.size() ||
      caller_.credential.endpoint != credentials.endpoint ||
      credentials.authorization.has_value() == authorization_.empty() ||
      certificate_of(credentials) != certificate_) {
    return nullptr;
  }
  // A later configuration may have the address of one that is gone.
  if (snapshot_.owner_before(snapshot) || snapshot.owner_before(snapshot_)) return nullptr;
  return is_same_secret(shown, authorization_) ? &caller_ : nullptr;
}

void RememberedProof::keep(const Credentials& credentials, const SnapshotPtr& snapshot,
                           const Authenticated& caller, const Moment& moment) {
  forget();
  const std::string_view shown = credentials.authorization.value_or("");
  const std::string_view certificate = certificate_of(credentials);
  // An empty header differs from none. A client that sends one, or that sends nothing, is proved
  // each time.
  const bool shows_anything = !shown.empty() || !certificate.empty();
  const bool is_empty_header = credentials.authorization.has_value() && shown.empty();
  if (!shows_anything || is_empty_header) return;
  if (shown.size() > kBytesMax || certificate.size() > kCertificateMax) return;
  authorization_ = shown;
  certificate_ = certificate;
  snapshot_ = snapshot;
  caller_ = caller;
  revocations_ = moment.revocations;
  until_ =
      std::min({moment.now + kHoldsFor, caller.credential.expires, caller.credential.prove_again});
}

void RememberedProof::forget() {
  OPENSSL_cleanse(authorization_.data(), authorization_.size());
  authorization_.clear();
  certificate_.clear();
  snapshot_.reset();
  caller_ = {};
  until_ = 0;
}

std::uint64_t present_revocations(const Worker& worker) {
  const auto& table = worker.gateway.revocations;
  const auto& notes = worker.gateway.grant_notes;
  // Both only increase, so their sum changes whenever either does.
  return (table == nullptr ? 0 : table->version()) + (notes == nullptr ? 0 : notes->changes());
}

}  // namespace bartizan
