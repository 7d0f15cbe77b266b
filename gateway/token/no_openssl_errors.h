#pragma once

#include <openssl/err.h>

namespace bartizan {

/// Takes back what OpenSSL puts into its queue of errors while this lives. The queue is the
/// thread's, and TLS connections look into it.
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
