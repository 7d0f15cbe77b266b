#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/catalogue/catalogue.h"
#include "gateway/runtime/memory_budget.h"

namespace bartizan {

/// Which resources and templates each server listed last, to whomever and on whichever worker: for
/// callers who have no list of their own of a server that does not answer now. Whom a URI is for
/// must not depend on who is alive.
///
/// It says no more than that: nothing of a list is shown from here.
///
/// Threads: any.
/// Bounded: for each server what one list of each kind may hold, all of it reserved. A list that
///          finds no room is forgotten.
class SeenResources {
 public:
  explicit SeenResources(MemoryBudget& memory) : memory_(memory) {}

  /// A list that was just fetched takes the place of the one before. Lists of other kinds are
  /// passed over.
  void note(const std::string& server, ListKind kind, const ServerList& list);
  /// Whether the server listed that URI, or template, last.
  bool lists(std::string_view server, ListKind kind, std::string_view uri) const;
  /// How many bytes of the URI the longest fixed beginning of its templates covers; 0 for none.
  std::size_t template_match(std::string_view server, std::string_view uri) const;

 private:
  struct Seen {
    std::set<std::string, std::less<>> uris;
    MemoryBudget::Reservation memory;
  };
  const Seen* find(std::string_view server, ListKind kind) const;

  MemoryBudget& memory_;
  mutable std::mutex mutex_;
  std::map<std::string, Seen, std::less<>> resources_;
  std::map<std::string, Seen, std::less<>> templates_;
};

/// How many bytes of a URI the fixed beginning of a template covers; 0 where it does not begin so.
/// Source: RFC 6570 §2.
std::size_t template_match(std::string_view uri_template, std::string_view uri);

}  // namespace bartizan
