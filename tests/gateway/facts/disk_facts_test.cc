// Where paths lead on a real disk, with everything that could lead out of a root.
#include "gateway/facts/disk_facts.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace bartizan {
namespace {

namespace fs = std::filesystem;
using Where = FoundPlace::Where;
using Kind = FoundPlace::Kind;

constexpr std::string_view kAbc =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/// A tree of its own: a root, and a folder beside it.
class DiskFactsTest : public testing::Test {
 protected:
  DiskFactsTest() {
    fs::create_directories(root_ / "sub" / "deep");
    fs::create_directories(beside_);
    write(root_ / "a.md", "abc");
    write(root_ / "sub" / "b.md", "b");
    write(beside_ / "secret", "secret");
  }
  ~DiskFactsTest() override { fs::remove_all(base_); }

  static fs::path make_base() {
    std::string name = (fs::temp_directory_path() / "bartizan-disk-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder");
    // The folder for such may itself be a link.
    return fs::canonical(name);
  }
  static void write(const fs::path& file, std::string_view text) { std::ofstream(file) << text; }

  Finding find(const std::string& name) const { return find_place(root_.string(), name); }
  Finding digest(const std::string& name) const { return digest_file(root_.string(), name); }

  Finding text_at(const std::string& name) const { return find_text(root_.string(), name); }

  fs::path base_ = make_base();
  fs::path root_ = base_ / "root";
  fs::path beside_ = base_ / "beside";
};

Finding inside(Kind kind, std::uint64_t bytes = 0, std::optional<std::string> leads_to = {}) {
  return FoundPlace{
      .where = Where::inside, .kind = kind, .bytes = bytes, .leads_to = std::move(leads_to)};
}
Finding absent(std::optional<std::string> leads_to = {}) {
  return FoundPlace{.where = Where::absent, .leads_to = std::move(leads_to)};
}
const std::string kLongestName(255, 'n');
const std::string kLongName(256, 'n');
const Finding kOutside = FoundPlace{.where = Where::outside};
const Finding kLost = NotFoundOut{NotFoundOut::Why::leads_nowhere};
const Finding kCircle = NotFoundOut{NotFoundOut::Why::leads_in_circles};
const Finding kTooLong = NotFoundOut{NotFoundOut::Why::too_long};
const Finding kUnreachable = NotFoundOut{NotFoundOut::Why::not_reachable};

TEST_F(DiskFactsTest, FindsWhereAPathLeads) {
  fs::create_symlink("a.md", root_ / "to_file");
  fs::create_symlink("sub", root_ / "to_sub");
  fs::create_symlink("to_sub", root_ / "twice");
  fs::create_symlink("../a.md", root_ / "sub" / "up");
  fs::create_symlink("../beside/secret", root_ / "to_secret");
  fs::create_symlink("../beside", root_ / "to_beside");
  fs::create_symlink(beside_ / "secret", root_ / "absolute");
  fs::create_symlink(root_ / "a.md", root_ / "absolute_inside");
  fs::create_symlink("/", root_ / "top");
  fs::create_symlink("nothing", root_ / "to_nothing");
  fs::create_symlink("../beside/nothing", root_ / "to_nothing_outside");
  fs::create_symlink("loop", root_ / "loop");
  fs::create_symlink("/proc/self/root", root_ / "magic");
  fs::create_symlink("../root/a.md", root_ / "out_and_in");
  fs::create_hard_link(root_ / "a.md", root_ / "hard");
  ASSERT_EQ(::mkfifo((root_ / "pipe").c_str(), 0600), 0);
  const struct {
    std::string_view name;
    Finding want;
  } cases[] = {
      {"a.md", inside(Kind::file, 3)},
      {"", inside(Kind::directory)},
      {"sub", inside(Kind::directory)},
      {"sub/b.md", inside(Kind::file, 1)},
      {"sub/../a.md", inside(Kind::file, 3, "a.md")},
      {"to_file", inside(Kind::file, 3, "a.md")},
      {"to_sub/b.md", inside(Kind::file, 1, "sub/b.md")},
      {"twice/b.md", inside(Kind::file, 1, "sub/b.md")},
      {"sub/up", inside(Kind::file, 3, "a.md")},
      {"to_sub/../a.md", inside(Kind::file, 3, "a.md")},
      {"hard", inside(Kind::file, 3)},
      {"pipe", inside(Kind::other)},
      {"to_secret", kOutside},
      {"to_beside/secret", kOutside},
      {"to_beside/nothing", kOutside},
      {"absolute", kOutside},
      {"absolute_inside", kOutside},
      {"top/etc/passwd", kOutside},
      {"magic/etc/passwd", kOutside},
      {"out_and_in", kOutside},
      {"..", kOutside},
      {"../beside/secret", kOutside},
      {"sub/../../beside/secret", kOutside},
      {"../root/a.md", kOutside},
      {"loop", kCircle},
      {"loop/new.md", kCircle},
      {"new.md", absent()},
      {"sub/new.md", absent()},
      {"to_sub/new.md", absent("sub/new.md")},
      {"none/none/new.md", absent()},
      {"to_nothing", kLost},
      {"to_nothing/new.md", kLost},
      {"to_nothing_outside", kOutside},
      {"none/../a.md", kUnreachable},
      {"a.md/below", kUnreachable},
      {kLongName, kTooLong},
      {kLongestName, absent()},
      {std::string_view("a\0b", 1), absent()},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Finding found = find(std::string(c.name));
    EXPECT_TRUE(found == c.want) << found.index();
    if (const auto* place = std::get_if<FoundPlace>(&found)) {
      SCOPED_TRACE(place->leads_to.value_or("as named"));
      EXPECT_EQ(static_cast<int>(place->where),
                static_cast<int>(std::get_if<FoundPlace>(&c.want) == nullptr
                                     ? place->where
                                     : std::get<FoundPlace>(c.want).where));
    }
  }
}

TEST_F(DiskFactsTest, HasARootThatMayBeALink) {
  fs::create_symlink(root_, base_ / "link");
  EXPECT_TRUE(find_place((base_ / "link").string(), "a.md") == inside(Kind::file, 3));
  EXPECT_TRUE(find_place((base_ / "no such").string(), "a.md") == kUnreachable);
  EXPECT_TRUE(find_place((root_ / "a.md").string(), "") == kUnreachable);
  EXPECT_TRUE(find_place("/", "proc/self/root/etc") == kCircle);
  EXPECT_TRUE(find_place("/", "etc") == inside(Kind::directory));
}

TEST_F(DiskFactsTest, DigestsRegularFilesAlone) {
  fs::create_symlink("a.md", root_ / "to_file");
  fs::create_symlink("../beside/secret", root_ / "to_secret");
  ASSERT_EQ(::mkfifo((root_ / "pipe").c_str(), 0600), 0);
  write(root_ / "large", "");
  fs::resize_file(root_ / "large", limits::digested_file_bytes_max);
  write(root_ / "larger", "");
  fs::resize_file(root_ / "larger", limits::digested_file_bytes_max + 1);
  const Finding none = FoundContent();
  EXPECT_TRUE(digest("a.md") == Finding(FoundContent{std::string(kAbc)}));
  EXPECT_TRUE(digest("to_file") == Finding(FoundContent{std::string(kAbc)}));
  EXPECT_TRUE(digest("to_secret") == none);
  EXPECT_TRUE(digest("../beside/secret") == none);
  EXPECT_TRUE(digest("pipe") == none) << "opened, it would wait for a writer";
  EXPECT_TRUE(digest("sub") == none);
  EXPECT_TRUE(digest("new") == none);
  EXPECT_TRUE(digest("larger") == none);
  EXPECT_EQ(std::get<FoundContent>(digest("large")).sha256.size(), 64U);
  EXPECT_TRUE(digest_file((base_ / "no such").string(), "a.md") == kUnreachable);
}

TEST_F(DiskFactsTest, ReadsTheBeginningOfRegularFilesAlone) {
  constexpr std::size_t kWindow = limits::text_window_bytes;
  fs::create_symlink("a.md", root_ / "to_file");
  fs::create_symlink("../beside/secret", root_ / "to_secret");
  ASSERT_EQ(::mkfifo((root_ / "pipe").c_str(), 0600), 0);
  write(root_ / "empty", "");
  write(root_ / "nul", std::string("a\0", 2));
  write(root_ / "latin", "ni\xf1");
  const std::string full(kWindow - 1, 'a');
  write(root_ / "cut", full + "\xc3\xa9");
  write(root_ / "cut-and-none", full + "\xff" + "a");
  write(root_ / "ends-cut", full + "\xc3");
  write(root_ / "nul-behind", full + "a" + std::string(1, '\0'));
  const Finding text = FoundText{true};
  const Finding binary = FoundText{false};
  const Finding unknown = NotFoundOut();
  const struct {
    std::string name;
    const Finding& want;
  } cases[] = {
      {"a.md", text},
      {"to_file", text},
      {"empty", text},
      {"cut", text},
      {"nul-behind", text},
      {"nul", binary},
      {"latin", binary},
      {"cut-and-none", binary},
      // The window ends where the file does, and nobody knows that yet.
      {"ends-cut", text},
      {"pipe", unknown},
      {"sub", unknown},
      {"new", unknown},
      {"to_secret", unknown},
      {"../beside/secret", unknown},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_TRUE(text_at(c.name) == c.want);
  }
  EXPECT_TRUE(find_text("/", "dev/zero") == unknown);
  EXPECT_TRUE(find_text((base_ / "no such").string(), "a.md") == kUnreachable);
}

TEST_F(DiskFactsTest, TellsOfAFileThatItMayNotRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads whatever there is";
  write(root_ / "locked", "abc");
  fs::permissions(root_ / "locked", fs::perms::none);
  EXPECT_TRUE(digest("locked") == Finding(NotFoundOut{NotFoundOut::Why::not_readable}));
  EXPECT_TRUE(text_at("locked") == Finding(NotFoundOut{NotFoundOut::Why::not_readable}));
}

TEST_F(DiskFactsTest, ProbesRoots) {
  EXPECT_TRUE(probe_root(root_.string()).has_value());
  const auto none = probe_root((base_ / "no such").string());
  ASSERT_FALSE(none.has_value());
  EXPECT_NE(none.error().detail.find("the root cannot be opened"), std::string::npos);
  EXPECT_FALSE(probe_root((root_ / "a.md").string()).has_value());
}

/// Exchanges two names as long as it lives.
class Swapper {
 public:
  Swapper(fs::path one, fs::path other)
      : one_(std::move(one)), other_(std::move(other)), thread_([this] { run(); }) {}
  Swapper(const Swapper&) = delete;
  Swapper& operator=(const Swapper&) = delete;
  ~Swapper() {
    ends_ = true;
    thread_.join();
  }

 private:
  void run() {
    constexpr unsigned kExchange = 2;  // RENAME_EXCHANGE
    while (!ends_) {
      ::syscall(SYS_renameat2, AT_FDCWD, one_.c_str(), AT_FDCWD, other_.c_str(), kExchange);
    }
  }

  fs::path one_, other_;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

// What is outside has a size and a content of its own, so that one answer which took it for inside
// would be seen.
TEST_F(DiskFactsTest, NeverTakesWhatIsOutsideForInside) {
  constexpr int kTries = 20'000;
  write(root_ / "sub" / "file", "in");
  write(beside_ / "file", std::string("outside\0", 8));
  fs::create_symlink("../beside", root_ / "swap");
  int found_inside = 0;
  int found_outside = 0;
  {
    const Swapper swapper(root_ / "sub", root_ / "swap");
    for (int i = 0; i < kTries; ++i) {
      const Finding found = find("sub/file");
      const auto* place = std::get_if<FoundPlace>(&found);
      if (place == nullptr) continue;
      found_outside += place->where == Where::outside ? 1 : 0;
      if (place->where != Where::inside) continue;
      ++found_inside;
      ASSERT_EQ(place->bytes, 2U) << "the file outside";
      const std::string leads_to = place->leads_to.value_or("sub/file");
      ASSERT_TRUE(leads_to == "sub/file" || leads_to == "swap/file") << leads_to;
      const Finding beginning = text_at("sub/file");
      const auto* text = std::get_if<FoundText>(&beginning);
      ASSERT_TRUE(text == nullptr || text->is_text) << "the file outside";
      const Finding content = digest("sub/file");
      const auto* digested = std::get_if<FoundContent>(&content);
      // SHA-256 of "in"; or it leads out by now.
      if (digested == nullptr || digested->sha256.empty()) continue;
      ASSERT_TRUE(digested->sha256.starts_with("582967534d0f")) << digested->sha256;
    }
  }
  EXPECT_GT(found_inside, 0);
  EXPECT_GT(found_outside, 0);
}

// A folder that is moved out of the root while a path through it is walked.
TEST_F(DiskFactsTest, SeesWhatIsMovedOut) {
  constexpr int kTries = 10'000;
  write(root_ / "sub" / "file", "in");
  fs::create_directories(beside_ / "sub");
  write(beside_ / "sub" / "file", "outside");
  const Swapper swapper(root_ / "sub", beside_ / "sub");
  for (int i = 0; i < kTries; ++i) {
    // Either tree may be below the root, and then it is inside; from it, no step leads out.
    const Finding found = find("sub/../../beside/secret");
    const auto* place = std::get_if<FoundPlace>(&found);
    ASSERT_TRUE(place == nullptr || place->where != Where::inside);
  }
}

}  // namespace
}  // namespace bartizan
