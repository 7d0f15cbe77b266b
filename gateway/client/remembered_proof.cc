#include "gateway/client/remembered_proof.h"

#include <algorithm>

#include <openssl/crypto.h>

namespace bartizan {

const Authenticated* RememberedProof::find(const Credentials& credentials,
                                           const SnapshotPtr& snapshot, std::int64_t now) const {
  const std::string_view shown = credentials.authorization.value_or("");
  if (now >= until_ || authorization_.empty() || shown.size() != authorization_.size() ||
      caller_.credential.endpoint != credentials.endpoint) {
    return nullptr;
  }
  // A configuration that is loaded later may lie where one was that is gone.
  if (snapshot_.owner_before(snapshot) || snapshot.owner_before(snapshot_)) return nullptr;
  const bool is_same = CRYPTO_memcmp(shown.data(), authorization_.data(), shown.size()) == 0;
  return is_same ? &caller_ : nullptr;
}

void RememberedProof::keep(const Credentials& credentials, const SnapshotPtr& snapshot,
                           const Authenticated& caller, std::int64_t now) {
  forget();
  const std::string_view shown = credentials.authorization.value_or("");
  if (shown.empty() || shown.size() > kBytesMax) return;
  authorization_ = shown;
  snapshot_ = snapshot;
  caller_ = caller;
  until_ = std::min({now + kHoldsFor, caller.credential.expires, caller.credential.prove_again});
}

void RememberedProof::forget() {
  OPENSSL_cleanse(authorization_.data(), authorization_.size());
  authorization_.clear();
  snapshot_.reset();
  caller_ = {};
  until_ = 0;
}

}  // namespace bartizan
