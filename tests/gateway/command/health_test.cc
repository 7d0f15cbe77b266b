#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <thread>

#include "gateway/command/command_health.h"
#include "gateway/process/descriptor.h"
#include "gateway/process/systemd_notify.h"

namespace bartizan {
namespace {

/// Listens on a free port of 127.0.0.1, gives one answer, and closes.
class OneAnswer {
 public:
  explicit OneAnswer(std::string answer) : answer_(std::move(answer)) {
    sockaddr_in address{
        .sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(listener_.get(), 1), 0);
    EXPECT_EQ(getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    address_ = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    thread_ = std::thread([this] { serve(); });
  }
  ~OneAnswer() { thread_.join(); }
  const std::string& address() const { return address_; }

 private:
  void serve() {
    const Descriptor client(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    std::array<char, 1024> question;
    std::string text;
    while (text.find("\r\n\r\n") == std::string::npos) {
      const ssize_t size = recv(client.get(), question.data(), question.size(), 0);
      if (size <= 0) return;
      text.append(question.data(), static_cast<std::size_t>(size));
    }
    EXPECT_TRUE(text.starts_with("GET /readyz HTTP/1.1\r\n"));
    send(client.get(), answer_.data(), answer_.size(), MSG_NOSIGNAL);
  }

  std::string answer_;
  Descriptor listener_{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  std::string address_;
  std::thread thread_;
};

struct Finished {
  int exit_code;
  std::string results;
  std::string problems;
};

Finished ask(const std::string& address) {
  std::ostringstream results;
  std::ostringstream problems;
  const int exit_code = ask_health(address, {.results = results, .problems = problems});
  return {exit_code, results.str(), problems.str()};
}

TEST(Health, IsWhatTheReadinessPageSays) {
  struct Row {
    const char* name;
    std::string answer;
    int exit_code;
    std::string results;
    std::string problem;
  };
  const std::vector<Row> rows = {
      {"ready", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nyes", kExitDone, "yes", ""},
      {"not ready", "HTTP/1.1 503 Service Unavailable\r\n\r\nwhy", kExitFailed, "why", ""},
      {"another page", "HTTP/1.1 404 Not Found\r\n\r\n{}", kExitFailed, "{}", ""},
      {"no http", "SSH-2.0-x\r\n\r\n", kExitFailed, "", "the answer is not http"},
      {"half a head", "HTTP/1.1 200 OK\r\n", kExitFailed, "", "the answer is not http"},
      {"nothing", "", kExitFailed, "", "the answer is not http"},
  };
  for (const Row& row : rows) {
    const OneAnswer gateway(row.answer);
    const Finished finished = ask(gateway.address());
    EXPECT_EQ(finished.exit_code, row.exit_code) << row.name;
    EXPECT_EQ(finished.results, row.results) << row.name;
    EXPECT_EQ(finished.problems.find(row.problem) != std::string::npos, true) << row.name;
    EXPECT_EQ(finished.problems.empty(), row.problem.empty()) << row.name;
  }
}

TEST(Health, NobodyThereIsAFailureAndNoAddressIsWrongUsage) {
  std::string address;
  {
    const OneAnswer gone("");
    address = gone.address();
    ask(address);
  }
  EXPECT_EQ(ask(address).exit_code, kExitFailed);
  EXPECT_NE(ask(address).problems.find(address), std::string::npos);
  EXPECT_EQ(ask("nowhere").exit_code, kExitUsage);
}

/// A supervisor's socket under `name`, which NOTIFY_SOCKET is set to.
class Supervisor {
 public:
  explicit Supervisor(const std::string& name) {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    name.copy(address.sun_path, sizeof address.sun_path - 1);
    if (name.front() == '@') address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    EXPECT_EQ(bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    setenv("NOTIFY_SOCKET", name.c_str(), 1);
  }
  ~Supervisor() { unsetenv("NOTIFY_SOCKET"); }
  std::string told() const {
    std::array<char, 256> text;
    const ssize_t size = recv(socket_.get(), text.data(), text.size(), MSG_DONTWAIT);
    return size < 0 ? "nothing" : std::string(text.data(), static_cast<std::size_t>(size));
  }

 private:
  Descriptor socket_{socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
};

TEST(Supervisor, IsToldByFileAndByAbstractName) {
  const std::string own = std::to_string(getpid());
  const std::filesystem::path file = std::filesystem::temp_directory_path() / ("notify-" + own);
  for (const std::string& name : {file.string(), "@bartizan-test-" + own}) {
    const Supervisor supervisor(name);
    tell_supervisor("READY=1");
    EXPECT_EQ(supervisor.told(), "READY=1") << name;
    EXPECT_EQ(supervisor.told(), "nothing") << name;
  }
  std::filesystem::remove(file);
}

TEST(Supervisor, NobodyOrNobodyReachableIsNoFailure) {
  tell_supervisor("READY=1");
  setenv("NOTIFY_SOCKET", "/nowhere/notify", 1);
  tell_supervisor("READY=1");
  setenv("NOTIFY_SOCKET", std::string(200, 'x').c_str(), 1);
  tell_supervisor("READY=1");
  unsetenv("NOTIFY_SOCKET");
}

}  // namespace
}  // namespace bartizan
