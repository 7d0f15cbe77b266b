#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gateway/store/approvals.h"
#include "gateway/store/database.h"

namespace bartizan {

// The rows of approval requests and their answers. Errors: those of `Database`.

/// Whether a statement without rows succeeded.
Result<void> done(const Result<std::vector<Row>>& rows);

/// The requests in rows that have all columns of the table, in its order.
Result<std::vector<ApprovalRequest>> requests_of(const Result<std::vector<Row>>& rows);
Result<std::optional<ApprovalRequest>> find_request(Database& database, const std::string& id);
/// The answers to a request, oldest first.
Result<std::vector<ApprovalAnswer>> find_answers(Database& database, const std::string& id);

/// Inserts a pending request.
Result<void> insert_request(Database& database, const ApprovalRequest& request);
/// Inserts an answer with its `proof`.
Result<void> add_answer(Database& database, const ApprovalAnswer& answer, std::string proof);
/// Writes the state and the end of a request.
Result<void> write_state(Database& database, const ApprovalRequest& request);

}  // namespace bartizan
