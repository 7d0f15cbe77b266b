// What real files taught of places and values that only look like assignments of secrets: each
// first group was masked once, and what stands below it is a secret all the same.
#include <gtest/gtest.h>

#include <string>

#include "tests/policy/detect/expect_found.h"
#include "tests/policy/fake_secrets.h"

namespace bartizan {
namespace {

TEST(RealPlaces, TokensOfRequestsAndPagesAreNone) {
  const std::string token = FakeSecrets(31).drawn("A-Za-z0-9", 18) + "7aB9cD3eF1";
  const std::string uuid = "550e8400-e29b-41d4-a716-446655440000";
  std::vector<Row> rows;
  for (const std::string name :
       {"ClientToken", "clientToken", "ClientRequestToken", "clientRequestToken",
        "client_request_token", "idempotencyToken", "IdempotencyToken", "idempotency_token",
        "NextToken", "nextPageToken", "pageToken", "ContinuationToken", "NextContinuationToken",
        "PaginationToken", "StartingToken", "ResumptionToken"}) {
    rows.push_back({"", "\"" + name + "\": \"", token, "\""});
    rows.push_back({"", name + ": ", uuid, "\n"});
  }
  rows.push_back({"", "aws fsx create-backup --client-token ", uuid, "\n"});
  for (const std::string name :
       {"client_token", "clienttoken", "CLIENT_TOKEN", "request_token", "ClientSecretToken",
        "accessToken", "clientAccessToken", "ClientPassword"})
    rows.push_back({"assignment", "\"" + name + "\": \"", token, "\""});
  expect_found(rows);
}

TEST(RealPlaces, SignaturesOfOthersAreFoundAndTheirNamesAreNone) {
  const std::string signature = FakeSecrets(32).drawn("a-f0-9", 60) + "9f8e";
  expect_found({
      {"http.authorization",
       "Authorization: XXX4-HMAC-SHA256 Credential=xxx/19700101/0/127/xxx4_request, "
       "SignedHeaders=content-type;host, Signature=",
       signature, "\n"},
      {"", "http://user@[", "::1", "]@localhost"},
      {"url.password", "http://user:", "x7Yz", "@[::1]/"},
      {"", "Authorization: Bearer ", "token123", ","},
  });
}

}  // namespace
}  // namespace bartizan
