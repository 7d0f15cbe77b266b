#include "policy/check/check_blocked.h"

#include <gtest/gtest.h>

#include <string_view>

namespace bartizan {
namespace {

TEST(CheckBlocked, RefusesWhatAnOperatorBlocked) {
  const BlockedNames names{.servers = {"mail"}, .tools = {"files/write_file", "notes/a/b"}};
  const struct {
    std::string_view name;
    std::string_view server;
    TargetKind kind;
    std::string_view target;
    Reason want;
  } rows[] = {
      {"a tool", "files", TargetKind::tool, "write_file", Reason::blocked},
      {"another tool of its server", "files", TargetKind::tool, "read_file", Reason::none},
      {"a longer name", "files", TargetKind::tool, "write_file2", Reason::none},
      {"a shorter name", "files", TargetKind::tool, "write_fil", Reason::none},
      {"another case", "files", TargetKind::tool, "Write_file", Reason::none},
      {"the tool of another server", "file", TargetKind::tool, "write_file", Reason::none},
      {"a name with a slash", "notes", TargetKind::tool, "a/b", Reason::blocked},
      {"a slash in another place", "notes/a", TargetKind::tool, "b", Reason::blocked},
      {"a prompt of that name", "files", TargetKind::prompt, "write_file", Reason::none},
      {"a resource of that name", "files", TargetKind::resource, "write_file", Reason::none},
      {"any tool of a server", "mail", TargetKind::tool, "send", Reason::blocked},
      {"any prompt of a server", "mail", TargetKind::prompt, "draft", Reason::blocked},
      {"any resource of a server", "mail", TargetKind::resource, "inbox://1", Reason::blocked},
      {"what is for a server and no target", "mail", TargetKind::none, "", Reason::blocked},
      {"a server that begins so", "mail2", TargetKind::tool, "send", Reason::none},
      {"what is for no server", "", TargetKind::none, "", Reason::none},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Call call{.server = row.server, .target_kind = row.kind, .target = row.target};
    EXPECT_EQ(check_blocked(names, call).reason, row.want);
    EXPECT_FALSE(check_blocked({}, call).denies()) << "where nothing is blocked";
  }
}

}  // namespace
}  // namespace bartizan
