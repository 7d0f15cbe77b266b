#include "gateway/launch/own_namespaces.h"

#include <gtest/gtest.h>

#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

#include "gateway/process/descriptor.h"
#include "tests/gateway/launch/other_process.h"
#include "tests/gateway/launch/started_child.h"

namespace bartizan {
namespace {

constexpr OwnNamespaces kNetwork{.network = true};

Result<void> probe_network(const std::string& user) {
  const Result<Launcher> launcher = Launcher::start();
  if (!launcher.has_value()) return std::unexpected(launcher.error());
  return launcher->probe({.command = {"/bin/true"},
                          .sandbox = {.user = user, .network = SandboxConfig::Network::none}});
}

/// What a child without a network finds: its interfaces, whether its own address is there, who it
/// is, and its capabilities.
std::string start_alone(const std::string& user) {
  static constexpr const char* kScript =
      "sed -n 's/^ *\\([a-z0-9]*\\):.*/\\1/p' /proc/net/dev; "
      "grep -q 127.0.0.1 /proc/net/fib_trie && echo up; id -u; grep CapEff /proc/self/status";
  StartedChild child({.command = {"/bin/sh", "-c", kScript},
                      .environment = {{"PATH", "/usr/bin:/bin"}},
                      .sandbox = {.user = user, .network = SandboxConfig::Network::none}});
  if (!child.has_value()) return child.error().detail;
  child->standard_input = Descriptor();
  return read_all(child->standard_output) + read_all(child->standard_error);
}

void drop_capability(unsigned int capability) {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, 2> data{};
  syscall(SYS_capget, &header, data.data());
  data[0].effective &= ~(1U << capability);
  data[0].permitted &= ~(1U << capability);
  data[0].inheritable &= ~(1U << capability);
  syscall(SYS_capset, &header, data.data());
}

/// As a seccomp profile without namespaces does, and a unit with RestrictNamespaces.
void forbid_unshare() {
  std::array<sock_filter, 4> steps{
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{.len = steps.size(), .filter = steps.data()};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

std::string own_namespace() {
  return std::filesystem::read_symlink("/proc/self/ns/net");
}

constexpr const char* kNoCapability = "CapEff:\t0000000000000000\n";

class OwnNetwork : public testing::Test {
 protected:
  void SetUp() override {
    const std::string said = say_elsewhere([] {
      const Result<void> probed = probe_network("");
      return probed.has_value() ? std::string() : probed.error().detail;
    });
    if (!said.empty()) GTEST_SKIP() << "this machine forbids it: " << said;
  }
};

TEST_F(OwnNetwork, HasItsLoopbackAndNothingElse) {
  const std::string before = own_namespace();
  const std::string found = start_alone("");
  EXPECT_TRUE(found.starts_with("lo\nup\n" + std::to_string(geteuid()) + "\n")) << found;
  EXPECT_EQ(own_namespace(), before) << "the gateway stays where it is";
  EXPECT_TRUE(probe_network("").has_value());
  EXPECT_EQ(own_namespace(), before);
}

TEST_F(OwnNetwork, IsHadWithoutPrivilege) {
  if (kHasOwnThread) GTEST_SKIP() << kNoThreads;
  const std::string found = say_elsewhere([] {
    if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0) return std::string("still root");
    // Who changed its id cannot be looked into, which an ordinary gateway can.
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    return std::to_string(geteuid()) + "\n" + start_alone("");
  });
  const std::string id = found.substr(0, found.find('\n') + 1);
  EXPECT_EQ(found, id + "lo\nup\n" + id + kNoCapability);
}

TEST_F(OwnNetwork, IsHadByRootThatMayNotMakeOneItself) {
  if (kHasOwnThread) GTEST_SKIP() << kNoThreads;
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  const std::string found = say_elsewhere([] {
    drop_capability(CAP_SYS_ADMIN);
    return start_alone("");
  });
  EXPECT_EQ(found, std::string("lo\nup\n0\n") + kNoCapability)
      << "its namespace gives the program no capability";
}

TEST_F(OwnNetwork, IsHadByAnotherAccount) {
  if (kHasOwnThread) GTEST_SKIP() << kNoThreads;
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  EXPECT_EQ(start_alone("nobody"), std::string("lo\nup\n65534\n") + kNoCapability);
  const std::string found = say_elsewhere([] {
    drop_capability(CAP_SYS_ADMIN);
    const Result<void> probed = probe_network("nobody");
    return probed.has_value() ? start_alone("nobody") : probed.error().detail;
  });
  EXPECT_EQ(found, std::string("lo\nup\n65534\n") + kNoCapability)
      << "its ids are mapped from outside";
}

TEST(NoOwnNetwork, IsSaidWithWhatToDo) {
  const auto say = [](const std::string& user) {
    return say_elsewhere([user] {
      forbid_unshare();
      const Result<void> probed = probe_network(user);
      return (probed.has_value() ? "probed" : probed.error().detail) + "\n" + start_alone(user);
    });
  };
  for (const std::string user : {"", "nobody"}) {
    const std::string said = say(user);
    const std::string once = said.substr(0, said.find('\n'));
    std::string twice = once;
    twice.append("\n").append(once);
    EXPECT_EQ(said, twice) << "check and start say the same";
    EXPECT_TRUE(once.contains("network = \"none\"")) << once;
    EXPECT_TRUE(once.contains("Operation not permitted (errno 1)")) << once;
    EXPECT_TRUE(once.contains("network = \"host\"")) << once;
  }
}

TEST(NoOwnNetwork, IsSaidOfAnUnknownAccount) {
  const Result<void> probed = probe_network("bartizan-nobody-here");
  ASSERT_FALSE(probed.has_value());
  EXPECT_TRUE(probed.error().detail.contains("unknown user")) << probed.error().detail;
}

TEST(IdMaps, MapEachIdToItself) {
  const IdMaps own = make_id_maps(std::nullopt);
  EXPECT_EQ(own.uids, std::to_string(geteuid()) + " " + std::to_string(geteuid()) + " 1\n");
  EXPECT_EQ(own.groups, IdMaps::Groups::keep);
  const IdMaps other = make_id_maps(Account{.uid = 4242, .gid = 4243, .groups = {4243, 4244}});
  EXPECT_TRUE(other.uids.ends_with("4242 4242 1\n")) << other.uids;
  EXPECT_TRUE(other.gids.ends_with("4243 4243 2\n")) << other.gids;
  EXPECT_EQ(other.groups, IdMaps::Groups::may_be_set);
  const IdMaps apart = make_id_maps(Account{.uid = 4242, .gid = 4243, .groups = {4245}});
  EXPECT_TRUE(apart.gids.ends_with("4243 4243 1\n4245 4245 1\n")) << apart.gids;
}

// The kernel would call it an invalid argument.
TEST_F(OwnNetwork, TellsOfMapsThatAreTooLarge) {
  if (kHasOwnThread) GTEST_SKIP() << kNoThreads;
  const auto try_groups = [](int most) {
    return say_elsewhere([most] {
      IdMaps maps = make_id_maps(std::nullopt);
      for (int id = 2; id < most; id += 2)
        maps.gids += std::to_string(id) + " " + std::to_string(id) + " 1\n";
      drop_capability(CAP_SYS_ADMIN);
      return enter_own_namespaces(maps, kNetwork, make_user_namespace(maps))
                 ? std::string()
                 : std::to_string(errno);
    });
  };
  EXPECT_EQ(try_groups(800), std::to_string(E2BIG)) << "lines";
  EXPECT_EQ(try_groups(4000), std::to_string(E2BIG)) << "bytes";
}

TEST(IdMaps, SayWhyTheyAreTooLarge) {
  EXPECT_TRUE(explain_own_namespaces(E2BIG, kNetwork)
                  .contains("more groups than a user namespace can have"));
}

}  // namespace
}  // namespace bartizan
