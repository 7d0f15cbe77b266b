#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/provider_client.h"
#include "schemas/base/result.h"

namespace bartizan {

/// A form for an endpoint of a provider, with the proof that the gateway sends it.
struct ProvedForm {
  std::string form;
  std::string authorization;  ///< Value of that header; empty if the form has the proof.
};

/// Adds the client's proof to a form: its secret by the Basic scheme, or an assertion signed by its
/// key, which is valid for a minute.
///
/// Input:  the fields of the form; the audience of an assertion: the issuer identifier of the
///         provider, or else the requested URL; `now` in seconds since 1970; an id that no other
///         assertion has.
/// Errors: config_invalid if the secret or key cannot be read.
/// Cost:   reads a file if the secret is in one; an assertion costs one signature.
/// Source: RFC 6749 §2.3.1; RFC 7521 §4.2; RFC 7523 §2.2, §3.
Result<ProvedForm> prove_client(const ProviderClient& client, std::string form,
                                std::string_view audience, std::int64_t now,
                                std::string_view assertion_id);

}  // namespace bartizan
