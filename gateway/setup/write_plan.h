#pragma once

#include <string>
#include <vector>

#include "gateway/setup/init_plan.h"

namespace bartizan {

/// The gateway's configuration, TOML. Has no secrets.
std::string write_gateway_config(const InitPlan& plan);

/// The client's new entries, as one JSON object: `bartizan wrap` before each program. Each entry
/// replaces that of its program.
///
/// Input: `program`, the command by which the client starts bartizan. Programs with an argument
///        that looks like a secret are left out, so that the output is safe to paste.
std::string write_wrap_entries(const InitPlan& plan, const std::string& program);
/// The entry that serves the configuration at `config` over standard input. It needs no running
/// gateway and no key.
std::string write_stdio_entry(const InitPlan& plan, const std::string& program,
                              const std::string& config);
/// The entry for a running gateway. It has `key`, which is shown only this once.
std::string write_gateway_entry(const InitPlan& plan, const std::string& url,
                                const std::string& key);
/// Whether `write_wrap_entries` has any program's entry.
bool has_wrap_entries(const InitPlan& plan);
/// How to wrap by hand the programs that were left out for their secrets.
std::vector<ClientNote> note_unprinted_entries(const InitPlan& plan, const std::string& program);

}  // namespace bartizan
