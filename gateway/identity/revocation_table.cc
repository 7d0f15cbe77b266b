#include "gateway/identity/revocation_table.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "audit/digest.h"
#include "schemas/base/sha256.h"

namespace bartizan {
namespace {

using Kind = Revocation::Kind;

bool is_of_names(Kind kind) {
  return kind == Kind::block_server || kind == Kind::block_tool;
}

}  // namespace

void RevocationTable::load(const std::vector<Revocation>& held) {
  const std::unique_lock lock(mutex_);
  for (const Revocation& revocation : held)
    remember(revocation);
  note_changes(held);
}

void RevocationTable::add(const Revocation& revocation) {
  const std::unique_lock lock(mutex_);
  if (remember(revocation)) note_changes({&revocation, 1});
}

std::optional<Revocation> RevocationTable::remove(std::int64_t id) {
  const std::unique_lock lock(mutex_);
  const auto found = all_.find(id);
  if (found == all_.end()) return std::nullopt;
  Revocation removed = std::move(found->second);
  all_.erase(found);
  forget(removed);
  note_changes({&removed, 1});
  return removed;
}

std::vector<Revocation> RevocationTable::drop_ended(Seconds now) {
  std::vector<Revocation> ended;
  if (empty()) return ended;
  const std::unique_lock lock(mutex_);
  std::erase_if(all_, [&](const auto& one) {
    const Revocation& revocation = one.second;
    if (!revocation.until.has_value() || *revocation.until > now) return false;
    forget(revocation);
    ended.push_back(revocation);
    return true;
  });
  if (!ended.empty()) note_changes(ended);
  return ended;
}

/// False if it is known already.
bool RevocationTable::remember(const Revocation& revocation) {
  if (!all_.emplace(revocation.id, revocation).second) return false;
  subjects(revocation.kind)[revocation.subject].push_back(revocation.id);
  return true;
}

/// One subject may be revoked several times, each independently.
void RevocationTable::forget(const Revocation& revocation) {
  Subjects& of_kind = subjects(revocation.kind);
  const auto found = of_kind.find(revocation.subject);
  std::erase(found->second, revocation.id);
  if (found->second.empty()) of_kind.erase(found);
}

/// Readers keep the names that they have: the names are copied once, and changed in the copy.
void RevocationTable::note_changes(std::span<const Revocation> changed) {
  std::optional<BlockedNames> names;
  for (const Revocation& one : changed) {
    if (!is_of_names(one.kind)) continue;
    if (!names.has_value()) names = blocked_ == nullptr ? BlockedNames() : *blocked_;
    auto& of_kind = one.kind == Kind::block_server ? names->servers : names->tools;
    if (has(one.kind, one.subject)) {
      of_kind.insert(one.subject);
    } else {
      of_kind.erase(one.subject);
    }
  }
  if (names.has_value()) {
    blocked_ = names->empty() ? nullptr : std::make_shared<const BlockedNames>(*std::move(names));
    blocks_version_.fetch_add(1, std::memory_order_acq_rel);
  }
  count_.store(all_.size(), std::memory_order_release);
  // After the changes, so that a reader of the new version sees them.
  version_.fetch_add(1, std::memory_order_acq_rel);
}

std::optional<Revocation> RevocationTable::find(std::int64_t id) const {
  const std::shared_lock lock(mutex_);
  const auto found = all_.find(id);
  if (found == all_.end()) return std::nullopt;
  return found->second;
}

std::vector<Revocation> RevocationTable::all() const {
  const std::shared_lock lock(mutex_);
  std::vector<Revocation> all;
  all.reserve(all_.size());
  for (const auto& [id, revocation] : all_)
    all.push_back(revocation);
  return all;
}

bool RevocationTable::has(Kind kind, std::string_view subject) const {
  const Subjects& of_kind = subjects(kind);
  return !of_kind.empty() && of_kind.contains(subject);
}

bool RevocationTable::has_token(const Credential& credential) const {
  if (subjects(Kind::token).empty()) return false;
  if (has(Kind::token, hex_of(credential.digest))) return true;
  return !credential.token_id.empty() &&
         has(Kind::token, hex_of(Digester().sha256(credential.token_id)));
}

Reason RevocationTable::refusal_of(std::string_view principal, const Credential& credential) const {
  if (empty()) return Reason::none;
  const std::shared_lock lock(mutex_);
  if (has(Kind::principal, principal)) return Reason::revoked;
  const bool is_key = credential.kind == CredentialKind::api_key;
  const bool is_token =
      credential.kind == CredentialKind::issuer || credential.kind == CredentialKind::front_door;
  if (is_key && !subjects(Kind::key).empty() && has(Kind::key, hex_of(credential.digest))) {
    return Reason::revoked;
  }
  if (is_token && has_token(credential)) return Reason::revoked;
  return has(Kind::block_principal, principal) ? Reason::blocked : Reason::none;
}

bool RevocationTable::is_session_revoked(std::string_view id) const {
  if (empty()) return false;
  const std::shared_lock lock(mutex_);
  return !subjects(Kind::session).empty() && has(Kind::session, hex_of(Digester().sha256(id)));
}

std::shared_ptr<const BlockedNames> RevocationTable::blocked_names() const {
  if (empty()) return nullptr;
  const std::shared_lock lock(mutex_);
  return blocked_;
}

RevocationTable::Watch RevocationTable::watch(std::size_t loop,
                                              std::move_only_function<void()> changed) {
  Watch watch;
  if (loop >= watches_.size()) return watch;
  watch.watches_ = &watches_[loop];
  watch.place_ = watch.watches_->insert(watch.watches_->end(), std::move(changed));
  return watch;
}

void RevocationTable::tell(std::size_t loop) {
  if (loop >= watches_.size()) return;
  for (auto& changed : watches_[loop])
    changed();
}

bool is_server_blocked(const RevocationTable* table, std::string_view server) {
  if (table == nullptr) return false;
  const auto names = table->blocked_names();
  return names != nullptr && names->has_server(server);
}

bool is_tool_blocked(const RevocationTable* table, std::string_view server, std::string_view tool) {
  if (table == nullptr) return false;
  const auto names = table->blocked_names();
  return names != nullptr && names->has_tool(server, tool);
}

}  // namespace bartizan
