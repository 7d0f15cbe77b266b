// Speaks MCP with a child over its standard input and output, as a client of the legacy era does,
// and measures it: one call after the other, then sixteen on their way at once.
//
//   bench_pipe MESSAGES -- COMMAND [ARGUMENT…]
//
// One line of JSON: rtt_us, the median in lock step; cpu_us, CPU time of the child alone (not of
// its own children) per message of the second part; messages_per_second of that part.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "tests/bench/call_bytes.h"
#include "tests/bench/sockets.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kInFlight = 16;
constexpr std::size_t kReadBytes = std::size_t{64} * 1024;

struct Child {
  pid_t pid;
  Descriptor in;
  Descriptor out;
};

Child start(std::span<char*> command) {
  int in[2];
  int out[2];
  if (pipe(in) != 0 || pipe(out) != 0) give_up("pipe");
  const pid_t pid = fork();
  if (pid < 0) give_up("fork");
  if (pid == 0) {
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    for (const int end : {in[0], in[1], out[0], out[1]})
      close(end);
    execvp(command.front(), command.data());
    give_up(command.front());
  }
  close(in[0]);
  close(out[1]);
  return {pid, Descriptor(in[1]), Descriptor(out[0])};
}

void write_line(const Child& child, std::string line) {
  line += '\n';
  std::string_view left = line;
  while (!left.empty()) {
    const ssize_t written = write(child.in.get(), left.data(), left.size());
    if (written <= 0) give_up("the child takes nothing more");
    left.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Answers as they arrive, a line each.
class Answers {
 public:
  explicit Answers(const Child& child) : child_(child) {}

  /// Waits for one more answer. A call that was refused would make the figures worthless.
  void wait() {
    std::size_t end = in_.find('\n');
    while (end == std::string::npos) {
      read_more();
      end = in_.find('\n');
    }
    if (!std::string_view(in_).substr(0, end).contains(R"("result":)")) {
      std::fprintf(stderr, "%.*s\n", static_cast<int>(end), in_.c_str());
      give_up("no result");
    }
    in_.erase(0, end + 1);
  }

 private:
  void read_more() {
    const std::size_t before = in_.size();
    in_.resize(before + kReadBytes);
    const ssize_t got = read(child_.out.get(), in_.data() + before, kReadBytes);
    if (got <= 0) give_up("the child ended");
    in_.resize(before + static_cast<std::size_t>(got));
  }

  const Child& child_;
  std::string in_;
};

double cpu_us(pid_t pid) {
  double nanoseconds = 0;
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks)) {
    double ran = 0;
    std::ifstream(task.path() / "schedstat") >> ran;
    nanoseconds += ran;
  }
  return nanoseconds / 1000;
}

void introduce(const Child& child, Answers& answers) {
  write_line(child,
             R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":)"
             R"("2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})");
  answers.wait();
  write_line(child, R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  write_line(child, R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})");
  answers.wait();
}

/// The median round trip in microseconds.
double lock_step(const Child& child, Answers& answers, const CallShape& shape, std::size_t count) {
  std::vector<double> microseconds;
  microseconds.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string call = call_message(shape, kFirstId + i);
    const auto began = Clock::now();
    write_line(child, call);
    answers.wait();
    microseconds.push_back(std::chrono::duration<double, std::micro>(Clock::now() - began).count());
  }
  std::ranges::sort(microseconds);
  return microseconds.at(count / 2);
}

void keep_in_flight(const Child& child, Answers& answers, const CallShape& shape,
                    std::size_t count) {
  for (std::size_t i = 0; i < count + kInFlight; ++i) {
    if (i < count) write_line(child, call_message(shape, 2 * kFirstId + i));
    if (i >= kInFlight) answers.wait();
  }
}

int run(std::size_t count, std::span<char*> command) {
  CallShape shape;
  shape.tool = "read_note";
  Child child = start(command);
  Answers answers(child);
  introduce(child, answers);
  lock_step(child, answers, shape, count / 10);
  const double rtt = lock_step(child, answers, shape, count);
  const double cpu_before = cpu_us(child.pid);
  const auto began = Clock::now();
  keep_in_flight(child, answers, shape, count);
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  const auto messages = static_cast<double>(count);
  std::printf(R"({"rtt_us":%.2f,"cpu_us":%.2f,"messages_per_second":%.0f})"
              "\n",
              rtt, (cpu_us(child.pid) - cpu_before) / messages, messages / seconds);
  child.in = Descriptor(-1);
  waitpid(child.pid, nullptr, 0);
  return 0;
}

}  // namespace
}  // namespace bartizan

int main(int count, char** arguments) {
  const std::span<char*> all(arguments, static_cast<std::size_t>(count) + 1);  // with the last null
  std::size_t messages = 0;
  if (count < 4 || std::string_view(all[2]) != "--") return 2;
  const std::string_view text = all[1];
  std::from_chars(text.data(), text.data() + text.size(), messages);
  return messages < 100 ? 2 : bartizan::run(messages, all.subspan(3));
}
