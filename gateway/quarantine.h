#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "config/config.h"
#include "gateway/catalogue.h"

namespace bartizan {

/// The entry's name, or `(unnamed)` where no tool could be called so: what a server makes up is no
/// name to be shown.
std::string shown_name(const ListedEntry& entry);

/// Why a listed tool is listed to nobody, and calls of it are refused, under that configuration;
/// empty where it can be used. The pointer in it is the server's, within the bounds of a schema.
std::string quarantine_reason(const Config& config, std::string_view server,
                              const ListedEntry& entry);

/// The tools of one server that nobody may call.
struct Quarantine {
  /// Of all that a server may list: what is shown has its making in it.
  static constexpr std::size_t shown_max = 16;

  std::size_t count = 0;                          ///< In the list that has the most of them.
  std::map<std::string, std::string> tools = {};  ///< By name, why: the first ones.

  void take(std::string name, std::string why);
  /// What another list of the same server has.
  void merge(const Quarantine& other);
};

/// By server, as far as their lists are known.
using Quarantines = std::map<std::string, Quarantine, std::less<>>;

/// Cost: one visit to each tool that has a flaw.
Quarantines find_quarantines(const Catalogue& catalogue, const Config& config);

}  // namespace bartizan
