#include "gateway/identity/approval_keys.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/config/folder.h"
#include "tests/gateway/token/made_keys.h"

namespace bartizan {
namespace {

class ApprovalKeysTest : public testing::Test {
 protected:
  ApprovalKeysTest() {
    write("own.pem", private_pem(own_));
    write("previous.pem", private_pem(previous_));
    write("desk.pub.pem", public_pem(desk_));
    approvals_.signing_key = secret("own.pem", 2);
    approvals_.previous_key = secret("previous.pem", 3);
    add_signer("desk", "desk.pub.pem");
  }

  void write(const std::string& name, std::string_view text) {
    ::chmod(folder_.write(name, text).c_str(), 0600);
  }
  SecretReference secret(const std::string& file, std::uint32_t line) const {
    return {SecretReference::Kind::file, folder_.name(file), {.line = line}};
  }
  void add_signer(const std::string& name, const std::string& file) {
    approvals_.keys[name] = {.name = name,
                             .file = folder_.name(file),
                             .principal = "ann",
                             .where = {.line = 10 + std::uint32_t(approvals_.keys.size())}};
  }
  /// What is wrong, each with its line, and whether it is on any machine.
  std::vector<std::string> problems() const {
    std::vector<std::string> all;
    for (const ApprovalKeyProblem& problem : read_approval_keys(approvals_).problems) {
      std::string detail = problem.detail;
      const std::string folder = folder_.name("");
      if (const std::size_t at = detail.find(folder); at != detail.npos)
        detail.erase(at, folder.size());
      all.push_back(std::to_string(problem.where.line) + (problem.is_error ? " error: " : ": ") +
                    detail);
    }
    return all;
  }

  Folder folder_;
  MadeKey own_ = make_ed25519_key();
  MadeKey previous_ = make_ed25519_key();
  MadeKey desk_ = make_ed25519_key();
  ApprovalsConfig approvals_;
};

using Lines = std::vector<std::string>;

TEST_F(ApprovalKeysTest, AreRead) {
  const ReadApprovalKeys read = read_approval_keys(approvals_);
  EXPECT_TRUE(read.problems.empty());
  ASSERT_NE(read.keys.own, nullptr);
  EXPECT_NE(read.keys.previous, nullptr);
  ASSERT_EQ(read.keys.signers.size(), 1U);
  EXPECT_EQ(read.keys.signers.front().name, "desk");
  EXPECT_EQ(read.keys.signers.front().principal, "ann");
  EXPECT_EQ(read_approval_keys(approvals_).keys.files, read.keys.files);
}

TEST_F(ApprovalKeysTest, AreAllAbsentWithoutConfiguration) {
  const ReadApprovalKeys read = read_approval_keys({});
  EXPECT_TRUE(read.problems.empty());
  EXPECT_EQ(read.keys.own, nullptr);
  EXPECT_TRUE(read.keys.signers.empty());
}

TEST_F(ApprovalKeysTest, AreOthersWhereAFileOrItsOwnerIs) {
  const Hash before = read_approval_keys(approvals_).keys.files;
  approvals_.keys["desk"].principal = "bob";
  const Hash others = read_approval_keys(approvals_).keys.files;
  EXPECT_NE(others, before);
  write("own.pem", private_pem(make_ed25519_key()));
  EXPECT_NE(read_approval_keys(approvals_).keys.files, others);
}

TEST_F(ApprovalKeysTest, SayWhatTheyAreNot) {
  approvals_.signing_key = secret("absent.pem", 2);
  approvals_.previous_key = secret("desk.pub.pem", 3);
  add_signer("gone", "gone.pem");
  add_signer("private", "own.pem");
  const Lines found = problems();
  ASSERT_EQ(found.size(), 4U);
  EXPECT_TRUE(found[0].starts_with("2: ")) << found[0];
  EXPECT_EQ(found[1], "3 error: \"previous_key\" is not a private key in PEM without a passphrase");
  EXPECT_EQ(found[2], "11: \"gone.pem\" cannot be read");
  EXPECT_EQ(found[3],
            "12 error: \"own.pem\" holds a private key, and the public one alone belongs here");
}

TEST_F(ApprovalKeysTest, AreEachSomebodyElses) {
  write("own.pub.pem", public_pem(own_));
  write("previous.pub.pem", public_pem(previous_));
  write("again.pub.pem", public_pem(desk_));
  add_signer("own", "own.pub.pem");
  add_signer("previous", "previous.pub.pem");
  add_signer("twice", "again.pub.pem");
  EXPECT_EQ(problems(), (Lines{"11 error: \"own.pub.pem\" is the gateway's own key",
                               "12 error: \"previous.pub.pem\" is the gateway's own key",
                               "13 error: \"again.pub.pem\" is the same key as that of \"desk\""}));
  approvals_.keys.clear();
  approvals_.previous_key = secret("own.pem", 3);
  EXPECT_EQ(problems(), Lines{"3 error: \"previous_key\" is the same key as \"signing_key\""});
}

TEST_F(ApprovalKeysTest, AreNotWhatEveryoneCanRead) {
  ::chmod(folder_.name("own.pem").c_str(), 0644);
  const Lines found = problems();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].starts_with("2 error: ")) << found[0];
}

}  // namespace
}  // namespace bartizan
