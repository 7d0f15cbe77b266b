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

/// The URIs of the resources and templates that each server listed last, to any caller and worker.
/// It serves callers without a list of their own while the server does not answer: the server that
/// a URI belongs to must not depend on which servers are up. Lists are never shown from here.
///
/// Threads: any.
/// Bounded: for each server by one list of each kind, all of it reserved. A list that does not fit
/// is forgotten.
class SeenResources {
 public:
  explicit SeenResources(MemoryBudget& memory) : memory_(memory) {}

  /// Replaces the server's previous list with one that was just fetched. Ignores lists of other
  /// kinds.
  void note(const std::string& server, ListKind kind, const ServerList& list);
  /// Whether the server's last list has that URI or template.
  bool lists(std::string_view server, ListKind kind, std::string_view uri) const;
  /// How many bytes of the URI the longest fixed beginning of the server's templates covers; 0 for
  /// none.
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

/// How many bytes of a URI the fixed beginning of a template covers; 0 if the URI does not begin
/// with it.
/// Source: RFC 6570 §2.
std::size_t template_match(std::string_view uri_template, std::string_view uri);

}  // namespace bartizan
