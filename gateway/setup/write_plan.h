#pragma once

#include <string>
#include <vector>

#include "gateway/setup/init_plan.h"

namespace bartizan {

/// The gateway's configuration, TOML. Holds no secret.
std::string write_gateway_config(const InitPlan& plan);

/// The client's new entries, one JSON object each: `bartizan wrap` for every program, which
/// replaces the entry of that program; and those for the gateway, each of which replaces them all.
///
/// `program` is how the client starts bartizan. A program with an argument that looks like a secret
/// is left out: what is printed can be pasted as it is.
std::string write_wrap_entries(const InitPlan& plan, const std::string& program);
/// The entry that serves the configuration at `config` over standard input: it needs no gateway
/// that runs, and no key.
std::string write_stdio_entry(const InitPlan& plan, const std::string& program,
                              const std::string& config);
/// Holds `key`, which is shown this once.
std::string write_gateway_entry(const InitPlan& plan, const std::string& url,
                                const std::string& key);
/// Whether any program's entry is among the wrapped ones.
bool has_wrap_entries(const InitPlan& plan);
/// How to wrap by hand those that are left out for their secrets.
std::vector<ClientNote> note_unprinted_entries(const InitPlan& plan, const std::string& program);

}  // namespace bartizan
