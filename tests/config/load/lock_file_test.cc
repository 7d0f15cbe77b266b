#include "config/load/lock_file.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "config/load/load_config.h"
#include "schemas/base/limits.h"
#include "schemas/message/tool_definition.h"
#include "tests/config/folder.h"

namespace bartizan {
namespace {

constexpr std::string_view kTool =
    R"({"name":"read","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}})";

std::string lock_of(std::string_view tool) {
  return R"({"version":2,"servers":{"s":{"tools":{"read":)" + std::string(tool) + "}}}}";
}

std::string approved(std::string_view definition, std::string_view by = "person") {
  return lock_of(R"({"approval":")" + std::string(by) + R"(","definition":)" +
                 std::string(definition) + "}");
}

/// A configuration that names such a lock file.
LoadedConfig load(const Folder& folder, std::string_view lock) {
  folder.write("bartizan.lock", lock);
  return load_config(folder.write("c.toml",
                                  "version = 1\naudit.file = \"x\"\n"
                                  "server.s.command = [\"p\"]\n"
                                  "pins.file = \"bartizan.lock\"\n"));
}

TEST(LockFile, HasWhatPeopleApproved) {
  const Folder folder;
  const LoadedConfig loaded = load(folder, approved(kTool));
  ASSERT_EQ(all_text(loaded), "");
  const PinnedTool& tool = loaded.config.pins.tools.at("s").at("read");
  EXPECT_EQ(tool.fingerprint.size(), 64U);
  EXPECT_TRUE(tool.is_approved);
  EXPECT_TRUE(tool.hints.read_only);
  EXPECT_FALSE(tool.hints.destructive);
  const LoadedConfig first = load(folder, approved(kTool, "first_use"));
  EXPECT_FALSE(first.config.pins.tools.at("s").at("read").is_approved);
  EXPECT_NE(first.config.digest, loaded.config.digest);
  EXPECT_EQ(first.config.files.back(), folder.name("bartizan.lock"));
}

TEST(LockFile, OfVersion1PinsWhatItPinnedBefore) {
  const std::string decorated =
      R"({"name":"read","inputSchema":{"type":"object"},"Description":"x","_meta":{"build":1}})";
  const Bytes bytes(decorated);
  JsonDocument document;
  const std::vector<std::string> build{"/_meta/build"};
  const ToolDefinition listed =
      read_tool_definition(document.read(bytes).value(), Era::modern, build).value();
  const std::string plain = R"({"name":"read","inputSchema":{"type":"object"}})";
  const std::string old_file =
      R"({"version":1,"servers":{"s":{"tools":{"read":{"approval":"person","definition":)" + plain +
      "}}}}}";
  const struct {
    std::string_view name;
    std::string lock;
    PinVersion version;
    bool holds;
  } cases[] = {
      {"a file of version 1", old_file, PinVersion::v1, true},
      {"a tool that is kept from one",
       lock_of(R"({"approval":"person","version":1,"definition":)" + plain + "}"), PinVersion::v1,
       true},
      {"the same in version 2", approved(plain), PinVersion::v2, false},
      {"all of it in version 2", approved(decorated), PinVersion::v2, true},
      {"all of it, from another build",
       approved(R"({"name":"read","inputSchema":{"type":"object"},"Description":"x",)"
                R"("_meta":{"build":2}})"),
       PinVersion::v2, true},
  };
  const Folder folder;
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    folder.write("bartizan.lock", c.lock);
    const LoadedConfig loaded = load_config(
        folder.write("c.toml",
                     "version = 1\naudit.file = \"x\"\nserver.s.command = [\"p\"]\n[pins]\n"
                     "file = \"bartizan.lock\"\nvolatile = [\"/_meta/build\"]\n"));
    ASSERT_TRUE(loaded.usable()) << all_text(loaded);
    const PinnedTool& pinned = loaded.config.pins.tools.at("s").at("read");
    EXPECT_EQ(pinned.version, c.version);
    EXPECT_EQ(is_pinned_as(pinned, listed), c.holds);
    // Who updates the gateway learns of it.
    EXPECT_EQ(all_text(loaded).contains("warning: the lock file"), c.version == PinVersion::v1)
        << all_text(loaded);
  }
}

constexpr std::string_view kDigest =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/// A server of which only files are approved.
std::string files_of(std::string_view executables, std::string_view server = "s") {
  return R"({"version":2,"servers":{")" + std::string(server) + R"(":{"executables":)" +
         std::string(executables) + "}}}";
}

TEST(LockFile, HasTheFilesOfServers) {
  const Folder folder;
  const std::string digest(kDigest);
  folder.write("bartizan.lock",
               files_of(R"({"/bin/cat":")" + digest + R"(","/bin/ls":")" + digest + R"("})"));
  const auto load_with = [&](std::string_view executables) {
    return load_config(folder.write("c.toml",
                                    "version = 1\naudit.file = \"x\"\npins.file = "
                                    "\"bartizan.lock\"\n[server.s]\ncommand = [\"p\"]\n" +
                                        std::string(executables)));
  };
  const LoadedConfig loaded =
      load_with("executables = [\"/bin/../bin/cat\", \"/bin/sh\", \"script\"]\n");
  ASSERT_EQ(all_text(loaded), "");
  const std::map<std::string, std::string> want{
      {"/bin/cat", digest}, {"/bin/sh", ""}, {folder.name("script"), ""}};
  EXPECT_EQ(loaded.config.servers.at("s").executables, want) << "without a digest: not approved";
  EXPECT_EQ(loaded.config.pins.executables.at("s").size(), 2U);
  EXPECT_TRUE(loaded.config.pins.tools.empty());
  EXPECT_TRUE(load_with("").config.servers.at("s").executables.empty());
  folder.write("bartizan.lock", files_of(R"({"/bin/cat":")" + digest + R"("})", "other"));
  EXPECT_EQ(load_with("executables = [\"/bin/cat\"]\n").config.servers.at("s").executables,
            (std::map<std::string, std::string>{{"/bin/cat", ""}}))
      << "what is approved of another server is not approved of this one";
}

TEST(LockFile, IsRefusedWhole) {
  const Folder folder;
  const std::string two =
      R"({"version":1,"servers":{"s":{"tools":{"read":{"approval":"person","definition":)" +
      std::string(kTool) + R"(},"write":{"approval":"person","definition":{}}}}}})";
  const struct {
    std::string_view name;
    std::string lock;
    std::string_view want;
  } rows[] = {
      {"no JSON", "{\n  \"version\": 1,,\n}", ", line 2, column 16: "},
      {"nothing", "", ": "},
      {"another version", R"({"version":3,"servers":{}})", ", \"/version\": must be 2, or 1"},
      {"a version that is a text", R"({"version":"2","servers":{}})", ", \"/version\": must be 2"},
      {"a tool of another version",
       lock_of(R"({"approval":"person","version":2,"definition":)" + std::string(kTool) + "}"),
       ", \"/servers/s/tools/read/version\": must be 1, or be left out"},
      {"no servers", R"({"version":1})", ", \"/servers\": must be an object"},
      {"a member twice", R"({"version":1,"version":1,"servers":{}})", ", line 1, column "},
      {"a misspelt member", R"({"version":1,"server":{}})", ", \"/server\": is not a member"},
      {"no approval", lock_of(R"({"definition":{}})"),
       ", \"/servers/s/tools/read/approval\": must be \"person\" or \"first_use\""},
      {"an approval of another kind", approved(kTool, "Person"), "/approval\": must be"},
      {"a definition that is none", approved(R"({"name":"read"})"),
       ", \"/servers/s/tools/read/definition\": inputSchema"},
      {"a definition of another tool",
       approved(R"({"name":"write","inputSchema":{"type":"object"}})"),
       "/definition/name\": is not the name that it stands under"},
      {"neither tools nor files", R"({"version":1,"servers":{"s":{}}})",
       ", \"/servers/s/tools\": must be an object"},
      {"files that are a list", files_of(R"(["/bin/cat"])"),
       ", \"/servers/s/executables\": must be an object"},
      {"a file without a place", files_of(R"({"cat":")" + std::string(kDigest) + R"("})"),
       ", \"/servers/s/executables/cat\": is not under an absolute path"},
      {"a digest that is none", files_of(R"({"/bin/cat":"ba78"})"),
       ", \"/servers/s/executables/~1bin~1cat\": must be 64 digits of lower-case hex"},
      {"a digest in capitals", files_of(R"({"/bin/cat":")" + std::string(64, 'A') + R"("})"),
       "must be 64 digits of lower-case hex"},
      {"a digest that is not a text", files_of(R"({"/bin/cat":1})"), "must be 64 digits"},
      {"one good and one bad", two, ", \"/servers/s/tools/write/definition\""},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const LoadedConfig loaded = load(folder, row.lock);
    EXPECT_FALSE(loaded.usable());
    EXPECT_TRUE(loaded.config.pins.tools.empty());
    EXPECT_TRUE(loaded.config.pins.executables.empty());
    EXPECT_TRUE(all_text(loaded).contains("c.toml:4:13: error: ")) << all_text(loaded);
    EXPECT_TRUE(all_text(loaded).contains(row.want)) << all_text(loaded);
  }
}

TEST(LockFile, MustBeThere) {
  const Folder folder;
  const LoadedConfig loaded = load_config(
      folder.write("d.toml", "version = 1\naudit.file = \"x\"\n[pins]\nfile = \"gone.lock\"\n"));
  EXPECT_FALSE(loaded.usable());
  EXPECT_TRUE(all_text(loaded).contains("d.toml:4:8: error: ")) << all_text(loaded);
  const LoadedConfig empty =
      load_config(folder.write("e.toml", "version = 1\naudit.file = \"x\"\n[pins]\n"));
  EXPECT_TRUE(all_text(empty).contains("e.toml:3:2: error: \"pins\" needs \"file\""))
      << all_text(empty);
}

TEST(ToolHints, AreTheWorseWhereNothingIsSaid) {
  const auto read = [](std::string_view text) {
    const Bytes bytes(text);
    JsonDocument document;
    return read_tool_hints(document.read(bytes).value());
  };
  EXPECT_EQ(read("{}"), ToolHints());
  EXPECT_EQ(read_tool_hints(JsonValue()), ToolHints());
  EXPECT_EQ(read(R"({"readOnlyHint":true})"),
            (ToolHints{.read_only = true, .destructive = false, .idempotent = true}));
  EXPECT_EQ(
      read(R"({"readOnlyHint":true,"destructiveHint":true,"openWorldHint":false})"),
      (ToolHints{.read_only = true, .destructive = true, .idempotent = true, .open_world = false}));
  EXPECT_EQ(read(R"({"readOnlyHint":true,"idempotentHint":false})"),
            (ToolHints{.read_only = true, .destructive = false}));
  EXPECT_EQ(read(R"({"destructiveHint":false})"), (ToolHints{.destructive = false}));
  EXPECT_EQ(read(R"({"readOnlyHint":"true"})"), ToolHints());
}

constexpr std::string_view kWritten = R"({
  "servers": {
    "s": {
      "executables": {
        "/bin/s": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
      },
      "identity": {
        "arguments": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "certificate_key": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "files": {
          "s.mjs": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        },
        "image": "sha256:1",
        "origin": "https://s",
        "package": {
          "integrity": "sha512-a",
          "name": "p",
          "version": "1"
        },
        "program": "node",
        "target": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
      },
      "tools": {
        "read": {
          "approval": "person",
          "definition": {
            "Description": "x",
            "annotations": {
              "readOnlyHint": true
            },
            "icons": [],
            "inputSchema": {
              "type": "object"
            },
            "name": "read"
          }
        },
        "write": {
          "approval": "first_use",
          "definition": {
            "inputSchema": {
              "type": "object"
            },
            "name": "write"
          },
          "version": 1
        }
      }
    }
  },
  "version": 2
}
)";

LockFile parse(std::string_view text, Problems& problems) {
  return parse_lock_file(text, "l", {.file = problems.add_file("c.toml")}, problems);
}

TEST(WriteLockFile, HasOneMemberALineAndIsReadAgain) {
  Problems problems;
  LockFile lock;
  const std::string digest(kDigest);
  lock.executables["s"]["/bin/s"] = digest;
  lock.identities["s"] = {.program = "node",
                          .arguments = digest,
                          .files = {{"s.mjs", digest}},
                          .package = "p",
                          .version = "1",
                          .integrity = "sha512-a",
                          .image = "sha256:1",
                          .origin = "https://s",
                          .target = digest,
                          .certificate_key = digest};
  // All that it has is written, and nothing depends on the server's order.
  lock.tools["s"]["read"] = {.fingerprint = "f",
                             .definition = R"({"icons":[],"annotations":{"readOnlyHint":true},)"
                                           R"("name":"read","inputSchema":{"type":"object"},)"
                                           R"("Description":"x"})",
                             .hints = {},
                             .is_approved = true};
  // Of one that is kept from version 1, what that version pinned.
  lock.tools["s"]["write"] = {.fingerprint = "f",
                              .definition = R"({"icons":[],"Description":"x",)"
                                            R"("name":"write","inputSchema":{"type":"object"}})",
                              .hints = {},
                              .version = PinVersion::v1};
  const std::string text = write_lock_file(lock);
  EXPECT_EQ(text, kWritten);
  const LockFile again = parse(text, problems);
  EXPECT_TRUE(problems.sorted().empty());
  EXPECT_EQ(again.identities, lock.identities);
  EXPECT_EQ(again.executables, lock.executables);
  EXPECT_EQ(again.tools.at("s").at("read").version, PinVersion::v2);
  EXPECT_EQ(again.tools.at("s").at("write").version, PinVersion::v1);
  EXPECT_EQ(write_lock_file(again), text);
  EXPECT_EQ(write_lock_file({}), "{\n  \"servers\": {},\n  \"version\": 2\n}\n");
}

TEST(WriteLockFile, IsReadAgainWhateverAServerLists) {
  std::string nested = "{}";
  for (std::size_t i = 0; i + 8 < limits::json_depth_max; ++i)
    nested = R"({"not":)" + nested + "}";
  LockFile lock;
  lock.tools["s"]["t"] = {.fingerprint = "f",
                          .definition = R"({"name":"t","inputSchema":{"type":"object",)"
                                        R"("maximum":1e999,"not":)" +
                                        nested + "}}",
                          .hints = {},
                          .is_approved = true};
  Problems problems;
  const LockFile again = parse(write_lock_file(lock), problems);
  EXPECT_TRUE(problems.sorted().empty());
  EXPECT_EQ(again.tools.at("s").size(), 1U);
}

TEST(LockFile, HoldsAServerToTheKeyOfItsCertificate) {
  const Folder folder;
  folder.write("bartizan.lock", kWritten);
  const auto load_with = [&folder](std::string_view pins) {
    return load_config(folder.write("c.toml",
                                    "version = 1\naudit.file = \"x\"\n"
                                    "server.s.url = \"https://s/\"\n" +
                                        std::string(pins)));
  };
  const LoadedConfig locked = load_with("pins.file = \"bartizan.lock\"\n");
  ASSERT_TRUE(locked.usable()) << all_text(locked);
  EXPECT_EQ(locked.config.pins.mode, PinsConfig::Mode::locked);
  EXPECT_EQ(pinned_certificate_key(locked.config.pins, "s"), kDigest);
  EXPECT_EQ(pinned_certificate_key(locked.config.pins, "t"), "");
  const LoadedConfig off = load_with("pins.file = \"bartizan.lock\"\npins.mode = \"off\"\n");
  EXPECT_EQ(pinned_certificate_key(off.config.pins, "s"), "");
}

TEST(Pins, NeedAFileOnlyWhereItIsAllThatCounts) {
  const auto problems_of = [](std::string_view pins) {
    return all_text(
        load_config_text("version = 1\naudit.file = \"x\"\n" + std::string(pins), "c.toml"));
  };
  EXPECT_EQ(problems_of("pins.mode = \"trust_on_first_use\"\n"), "");
  EXPECT_EQ(problems_of("pins.mode = \"off\"\n"), "");
  EXPECT_NE(problems_of("pins.mode = \"locked\"\n"), "");
  EXPECT_NE(problems_of("pins.mode = \"on\"\n"), "");
  EXPECT_EQ(load_config_text("version = 1\naudit.file = \"x\"\n", "c.toml").config.pins.mode,
            PinsConfig::Mode::trust_on_first_use);
}

}  // namespace
}  // namespace bartizan
