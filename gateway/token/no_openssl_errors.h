#pragma once

#include <openssl/err.h>

namespace bartizan {

/// Removes the errors that OpenSSL adds to its queue while this object lives. The queue belongs to
/// the thread, and TLS connections read it.
/// Threads:  the one that made it.
/// Source:   OpenSSL 3, ERR_set_mark(3).
class NoOpensslErrors {
 public:
  NoOpensslErrors() { ERR_set_mark(); }
  NoOpensslErrors(const NoOpensslErrors&) = delete;
  NoOpensslErrors& operator=(const NoOpensslErrors&) = delete;
  ~NoOpensslErrors() { ERR_pop_to_mark(); }
};

}  // namespace bartizan
