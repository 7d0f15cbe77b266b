#include "gateway/process/file_watch.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>

#include "gateway/runtime/loop.h"

namespace bartizan {
namespace {

using std::filesystem::path;

/// A directory of its own, removed afterwards.
class Files : public testing::Test {
 protected:
  Files() {
    std::string name = (std::filesystem::temp_directory_path() / "bartizan-XXXXXX").string();
    root_ = std::filesystem::canonical(mkdtemp(name.data()));
  }
  ~Files() override {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  void write(const path& name, std::string_view text = "x") const {
    std::ofstream(root_ / name) << text;
  }
  void link(const path& target, const path& name) const {
    std::filesystem::create_symlink(target, root_ / name);
  }
  /// The points as `directory name`, below the root.
  std::set<std::string> told(const WatchPoints& points) const {
    std::set<std::string> all;
    for (const WatchPoint& point : points) {
      const std::string below = point.directory.lexically_relative(root_).string();
      if (!below.starts_with("..")) all.insert(below + ' ' + point.name);
    }
    return all;
  }

  path root_;
};

TEST_F(Files, AreWatchedForAtEveryLinkOnTheirWay) {
  using Points = std::set<std::string>;
  std::filesystem::create_directories(root_ / "plain");
  std::filesystem::create_directories(root_ / "map/..first");
  write("plain/main.toml");
  write("map/..first/main.toml");
  link("..first", "map/..data");
  link("..data/main.toml", "map/main.toml");
  link(root_ / "plain", "release");
  link("round", "round");
  EXPECT_EQ(told(watch_points(root_ / "plain/main.toml")), (Points{"plain main.toml"}));
  EXPECT_EQ(told(watch_points(root_ / "plain/../plain/main.toml")), (Points{"plain main.toml"}));
  EXPECT_EQ(told(watch_points(root_ / "map/main.toml")),
            (Points{"map main.toml", "map ..data", "map/..first main.toml"}));
  EXPECT_EQ(told(watch_points(root_ / "release/main.toml")),
            (Points{". release", "plain main.toml"}));
  EXPECT_EQ(told(watch_points(root_ / "plain/missing.toml")), (Points{"plain missing.toml"}));
  EXPECT_EQ(told(watch_points(root_ / "missing/main.toml")), (Points{". missing"}));
  EXPECT_EQ(told(watch_points(root_ / "round")), (Points{". round"}));
}

TEST_F(Files, OfAConfigurationAreAllThatItNames) {
  write("key.pem");
  LoadedConfig loaded;
  loaded.config.files = {root_ / "main.toml", root_ / "a.toml"};
  loaded.include_patterns = {root_ / "*.toml"};
  loaded.config.listen.tls =
      TlsConfig{.cert = root_ / "cert.pem",
                .key = {.kind = SecretReference::Kind::file, .name = root_ / "key.pem"}};
  ServerConfig& server = loaded.config.servers["one"];
  server.bearer = {.kind = SecretReference::Kind::file, .name = root_ / "token"};
  server.password = {.kind = SecretReference::Kind::file, .name = root_ / "password"};
  server.headers = {{.name = "X-A",
                     .value = {},
                     .secret = {.kind = SecretReference::Kind::file, .name = root_ / "header"}}};
  server.ca_file = root_ / "ca.pem";
  EXPECT_EQ(told(watch_points(loaded)),
            (std::set<std::string>{". main.toml", ". a.toml", ". *.toml", ". cert.pem", ". key.pem",
                                   ". token", ". password", ". header", ". ca.pem"}));
}

/// What is done, and then done to what is watched: the second is always noticed, and where the
/// first were noticed too there would be no waiting for the second.
class FileWatchOf : public Files {
 protected:
  /// Whether `changed` returned before and after `act`.
  std::pair<bool, bool> notices(const path& file, const std::function<void()>& ignored,
                                const std::function<void()>& act) {
    Loop loop(0);
    FileWatch watch(loop.executor());
    EXPECT_TRUE(watch.open().has_value());
    EXPECT_TRUE(watch.watch(watch_points(file)).has_value());
    std::pair<bool, bool> noticed{false, false};
    const auto wait = [&]() -> Task<void> {
      noticed.second = (co_await watch.changed()).has_value();
      loop.stop();
    };
    ignored();
    spawn(loop, wait());
    // Everything that is ready runs: what `ignored` did has been read, and was nothing.
    loop.io().poll();
    noticed.first = noticed.second;
    act();
    loop.run();
    return noticed;
  }
};

constexpr std::pair kNoticed{false, true};

TEST_F(FileWatchOf, SeesWhatEditorsAndClustersDo) {
  std::filesystem::create_directories(root_ / "map/..first");
  std::filesystem::create_directories(root_ / "map/..second");
  write("map/..first/main.toml");
  write("map/..second/main.toml");
  link("..first", "map/..data");
  link("..data/main.toml", "map/main.toml");
  write("main.toml");
  const auto nothing = [] {};
  EXPECT_EQ(notices(root_ / "main.toml", nothing, [&] { write("main.toml", "y"); }), kNoticed);
  EXPECT_EQ(notices(
                root_ / "main.toml", [&] { write("audit.jsonl", "a record"); },
                [&] {
                  write(".main.toml.swp", "y");
                  std::filesystem::rename(root_ / ".main.toml.swp", root_ / "main.toml");
                }),
            kNoticed);
  EXPECT_EQ(notices(root_ / "main.toml", nothing,
                    [&] {
                      std::filesystem::remove(root_ / "main.toml");
                      write("main.toml", "z");
                    }),
            kNoticed);
  EXPECT_EQ(notices(root_ / "map/main.toml", nothing,
                    [&] {
                      link("..second", "map/..data_tmp");
                      std::filesystem::rename(root_ / "map/..data_tmp", root_ / "map/..data");
                    }),
            kNoticed);
  EXPECT_EQ(
      notices(root_ / "*.toml", [&] { write("notes.md"); }, [&] { write("new.toml"); }), kNoticed);
  EXPECT_EQ(notices(root_ / "later/main.toml", nothing,
                    [&] { std::filesystem::create_directory(root_ / "later"); }),
            kNoticed);
}

TEST_F(FileWatchOf, SaysWhichDirectoriesAreNew) {
  std::filesystem::create_directories(root_ / "other");
  Loop loop(0);
  FileWatch watch(loop.executor());
  ASSERT_TRUE(watch.open().has_value());
  EXPECT_EQ(watch.watch(watch_points(root_ / "main.toml")), true);
  EXPECT_EQ(watch.watch(watch_points(root_ / "second.toml")), false);
  EXPECT_EQ(watch.watch(watch_points(root_ / "other/main.toml")), true);
  EXPECT_FALSE(watch.watch({{root_ / "gone", "main.toml"}}).has_value());
}

}  // namespace
}  // namespace bartizan
