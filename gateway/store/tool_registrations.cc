#include "gateway/store/tool_registrations.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "gateway/store/database.h"
#include "policy/check/read_registration.h"
#include "schemas/base/limits.h"
#include "schemas/json/json.h"

namespace bartizan {

/// The contents of the state file after the last job. Only its thread changes them, so the order is
/// that of the file.
struct ToolRegistrations::Present {
  mutable std::mutex mutex;
  std::vector<KeptRegistration> all;
  std::function<void()> changed;
};

namespace {

using std::chrono::seconds;
using std::chrono::sys_seconds;

/// A row, with the words of its registration not read yet.
KeptRegistration row_of(const Row& row) {
  KeptRegistration kept{.text = text_of(row[3]),
                        .by = text_of(row[4]),
                        .decision_id = text_of(row[5]),
                        .at = sys_seconds(seconds(number_of(row[6]))),
                        .approved_by = text_of(row[7])};
  kept.registration.number = number_of(row[0]);
  kept.registration.server = text_of(row[1]);
  kept.registration.tool = text_of(row[2]);
  kept.registration.is_approved = !kept.approved_by.empty();
  return kept;
}

Result<std::vector<KeptRegistration>> read_rows(Database& database) {
  const auto rows = database.query(
      "SELECT number, server, tool, text, made_by, decision_id, made_at, approved_by"
      " FROM tool_registrations ORDER BY number");
  if (!rows.has_value()) return std::unexpected(rows.error());
  std::vector<KeptRegistration> all;
  all.reserve(rows->size());
  for (const Row& row : *rows)
    all.push_back(row_of(row));
  return all;
}

/// Reads its words. Errors: they are none of a registration.
Result<void> read_words(KeptRegistration& kept) {
  const Bytes bytes{std::string_view(kept.text)};
  JsonDocument document;
  const Result<JsonValue> params = document.read(bytes);
  auto read = params.has_value() ? read_registration(*params)
                                 : std::unexpected(Decision::deny(Reason::parse_error));
  if (!read.has_value()) {
    return fail(
        ErrorCode::io_failed, Fault::gateway,
        fmt::format("the state file is damaged: the registration {} of a tool cannot be read",
                    kept.registration.number));
  }
  ToolRegistration& registration = read->registration;
  registration.number = kept.registration.number;
  registration.server = std::move(kept.registration.server);
  registration.tool = std::move(kept.registration.tool);
  registration.is_approved = kept.registration.is_approved;
  kept.registration = std::move(registration);
  return {};
}

/// Both are of one tool.
bool is_of_tool(const KeptRegistration& one, const KeptRegistration& other) {
  return one.registration.server == other.registration.server &&
         one.registration.tool == other.registration.tool;
}

Result<void> forget(Database& database, std::int64_t number) {
  const auto done = database.query("DELETE FROM tool_registrations WHERE number = ?", {number});
  return done.has_value() ? Result<void>() : std::unexpected(done.error());
}

/// How a new registration relates to the stored ones: the number of one with the same text, or of
/// one that it replaces.
struct Standing {
  std::optional<std::int64_t> same = {};
  std::optional<std::int64_t> replaced = {};
};

Result<Standing> standing_of(const std::vector<KeptRegistration>& all,
                             const KeptRegistration& wanted) {
  Standing standing;
  const KeptRegistration* waiting = nullptr;
  for (const KeptRegistration& one : all) {
    if (!is_of_tool(one, wanted)) continue;
    if (one.text == wanted.text) standing.same = one.registration.number;
    if (one.approved_by.empty()) waiting = &one;
  }
  if (standing.same.has_value()) return standing;
  if (waiting != nullptr && waiting->by != wanted.by) {
    return fail(ErrorCode::invalid_params, Fault::client,
                "another principal's registration of this tool is pending");
  }
  if (waiting != nullptr) standing.replaced = waiting->registration.number;
  if (waiting != nullptr || all.size() < limits::tool_registrations_max) return standing;
  return fail(ErrorCode::overloaded, Fault::client,
              fmt::format("{} tools are registered already, which is the maximum",
                          limits::tool_registrations_max));
}

void erase(std::vector<KeptRegistration>& all, std::int64_t number) {
  std::erase_if(
      all, [number](const KeptRegistration& one) { return one.registration.number == number; });
}

/// Inserts a row, and the registration into the list. Answers its number.
Result<std::int64_t> insert(Database& database, std::vector<KeptRegistration>& all,
                            KeptRegistration kept) {
  const Result<Standing> standing = standing_of(all, kept);
  if (!standing.has_value()) return std::unexpected(standing.error());
  if (standing->same.has_value()) return *standing->same;
  if (standing->replaced.has_value()) {
    const Result<void> done = forget(database, *standing->replaced);
    if (!done.has_value()) return std::unexpected(done.error());
    erase(all, *standing->replaced);
  }
  const auto inserted = database.query(
      "INSERT INTO tool_registrations (server, tool, text, made_by, decision_id, made_at,"
      " approved_by) VALUES (?, ?, ?, ?, ?, ?, '')",
      {kept.registration.server, kept.registration.tool, kept.text, kept.by, kept.decision_id,
       std::int64_t{kept.at.time_since_epoch().count()}});
  if (!inserted.has_value()) return std::unexpected(inserted.error());
  kept.registration.number = database.inserted();
  all.push_back(std::move(kept));
  return all.back().registration.number;
}

std::optional<KeptRegistration> find_in(const std::vector<KeptRegistration>& all,
                                        std::int64_t number) {
  const auto found = std::ranges::find(
      all, number, [](const KeptRegistration& one) { return one.registration.number; });
  return found == all.end() ? std::nullopt : std::optional(*found);
}

/// Approves a row, in the place of the one of its tool that was approved. Whether there was one
/// that waited.
Result<bool> approve_row(Database& database, std::vector<KeptRegistration>& all,
                         std::int64_t number, const std::string& by) {
  const auto found = std::ranges::find(
      all, number, [](const KeptRegistration& one) { return one.registration.number; });
  if (found == all.end() || !found->approved_by.empty()) return false;
  const auto updated = database.query(
      "UPDATE tool_registrations SET approved_by = ? WHERE number = ?", {by, number});
  if (!updated.has_value()) return std::unexpected(updated.error());
  found->approved_by = by;
  found->registration.is_approved = true;
  const KeptRegistration& approved = *found;
  const auto replaced = std::ranges::find_if(all, [&approved](const KeptRegistration& one) {
    return is_of_tool(one, approved) && !one.approved_by.empty() &&
           one.registration.number != approved.registration.number;
  });
  if (replaced == all.end()) return true;
  const Result<void> done = forget(database, replaced->registration.number);
  if (!done.has_value()) return std::unexpected(done.error());
  all.erase(replaced);
  return true;
}

/// Lets `work` change the rows and their list in one transaction. The list in memory changes after
/// the commit, even if its caller has given up, and then the policy. Only the thread of the state
/// file changes them, so the list is that of the file.
template <class Work>
auto keep(Database& database, auto& present, const Work& work) {
  std::vector<KeptRegistration> all;
  {
    const std::scoped_lock lock(present.mutex);
    all = present.all;
  }
  auto done = database.in_transaction([&] { return work(all); });
  if (done.has_value()) {
    const std::scoped_lock lock(present.mutex);
    present.all = std::move(all);
    if (present.changed) present.changed();
  }
  return done;
}

}  // namespace

ToolRegistrations::ToolRegistrations(std::shared_ptr<Store> store)
    : store_(std::move(store)), present_(std::make_shared<Present>()) {}

Result<void> ToolRegistrations::load() {
  auto read = store_->ask_now<std::vector<KeptRegistration>>(read_rows);
  if (!read.has_value()) return std::unexpected(read.error());
  for (KeptRegistration& kept : *read) {
    const Result<void> done = read_words(kept);
    if (!done.has_value()) return done;
  }
  const std::scoped_lock lock(present_->mutex);
  present_->all = *std::move(read);
  return {};
}

void ToolRegistrations::on_change(std::function<void()> changed) {
  const std::scoped_lock lock(present_->mutex);
  present_->changed = std::move(changed);
}

std::vector<KeptRegistration> ToolRegistrations::all() const {
  const std::scoped_lock lock(present_->mutex);
  return present_->all;
}

std::optional<KeptRegistration> ToolRegistrations::find(std::int64_t number) const {
  const std::scoped_lock lock(present_->mutex);
  return find_in(present_->all, number);
}

Task<Result<KeptRegistration>> ToolRegistrations::add(Loop& loop, KeptRegistration kept) {
  return store_->ask<KeptRegistration>(
      loop, [present = present_, kept = std::move(kept)](Database& database) {
        return keep(database, *present, [&](auto& all) -> Result<KeptRegistration> {
          const auto number = insert(database, all, kept);
          if (!number.has_value()) return std::unexpected(number.error());
          return *find_in(all, *number);
        });
      });
}

Task<Result<std::optional<KeptRegistration>>> ToolRegistrations::approve(Loop& loop,
                                                                         std::int64_t number,
                                                                         std::string by) {
  using Found = std::optional<KeptRegistration>;
  return store_->ask<Found>(loop,
                            [present = present_, number, by = std::move(by)](Database& database) {
                              return keep(database, *present, [&](auto& all) -> Result<Found> {
                                const Result<bool> done = approve_row(database, all, number, by);
                                if (!done.has_value()) return std::unexpected(done.error());
                                return *done ? find_in(all, number) : Found();
                              });
                            });
}

Task<Result<std::optional<KeptRegistration>>> ToolRegistrations::remove(Loop& loop,
                                                                        std::int64_t number) {
  using Found = std::optional<KeptRegistration>;
  return store_->ask<Found>(loop, [present = present_, number](Database& database) {
    return keep(database, *present, [&](auto& all) -> Result<Found> {
      const Result<void> done = forget(database, number);
      if (!done.has_value()) return std::unexpected(done.error());
      Found found = find_in(all, number);
      erase(all, number);
      return found;
    });
  });
}

}  // namespace bartizan
