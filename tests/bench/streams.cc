// Thousands of sessions with a stream each, silent but for what the gateway sends.
//
//   bench_streams PORT --streams 10000 --wire http --key KEY
//
// Prints `open` when all are open; `told MILLISECONDS`, since 1970, when the last of them has heard
// that the list of tools changed; and one line of JSON when standard input ends: streams, exact
// (how many heard it once), most (how often one did), ended (how many are gone).
#include <sys/epoll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <utility>
#include <vector>

#include "gateway/runtime/fd_limit.h"
#include "tests/bench/session.h"
#include "tests/bench/sockets.h"

namespace bartizan {
namespace {

constexpr std::size_t kStreamsPerAddress = 500;
constexpr std::string_view kNews = "notifications/tools/list_changed";
constexpr std::string_view kMark = "notifications/prompts/list_changed";
constexpr std::uint64_t kInput = ~std::uint64_t{0};

struct Held {
  WireSession session;
  std::size_t told = 0;  ///< How often it heard the news.
  bool is_marked = false;
  bool has_ended = false;
};

class Crowd {
 public:
  Crowd() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {}

  void open(std::size_t count, Wire wire, std::uint16_t port, const CallShape& shape);
  /// Listens until standard input ends.
  void listen();
  void report() const;

 private:
  void watch(int descriptor, std::uint64_t what) const;
  void take(Held& one);
  void take_news(Held& one);

  Descriptor epoll_;
  std::vector<Held> all_;
  std::size_t told_ = 0;
  std::size_t marked_ = 0;
};

void Crowd::watch(int descriptor, std::uint64_t what) const {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = what;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) != 0) give_up("epoll_ctl");
}

void Crowd::open(std::size_t count, Wire wire, std::uint16_t port, const CallShape& shape) {
  all_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto host = static_cast<std::uint8_t>(1 + i / kStreamsPerAddress);
    all_.push_back({.session = WireSession(wire, port, {host, 0}, shape)});
    all_.back().session.drop_posts();
    watch(all_.back().session.stream().number(), i);
  }
  std::puts("open");
  std::fflush(stdout);
}

void Crowd::take(Held& one) {
  if (one.session.take() == Received::ended) {
    epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, one.session.stream().number(), nullptr);
    one.has_ended = true;
  }
  while (const auto message = one.session.next()) {
    if (message->contains(kNews)) take_news(one);
    if (!message->contains(kMark) || std::exchange(one.is_marked, true)) continue;
    if (++marked_ == all_.size()) std::puts("marked");
  }
  std::fflush(stdout);
}

void Crowd::take_news(Held& one) {
  if (++one.told > 1 || ++told_ < all_.size()) return;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now);
  std::printf("told %lld\n", static_cast<long long>(ms.count()));
}

void Crowd::listen() {
  watch(STDIN_FILENO, kInput);
  std::array<epoll_event, 256> events{};
  while (true) {
    const int count = epoll_wait(epoll_.get(), events.data(), events.size(), -1);
    for (int i = 0; i < count; ++i) {
      const std::uint64_t what = events.at(static_cast<std::size_t>(i)).data.u64;
      char byte = 0;
      if (what != kInput) {
        take(all_.at(what));
      } else if (read(STDIN_FILENO, &byte, 1) <= 0) {
        return;
      }
    }
  }
}

void Crowd::report() const {
  if (all_.empty()) give_up("no streams");
  const auto ended = std::ranges::count(all_, true, &Held::has_ended);
  const auto [least, most] = std::ranges::minmax_element(all_, {}, &Held::told);
  std::printf(R"({"streams":%zu,"least":%zu,"most":%zu,"ended":%td})"
              "\n",
              all_.size(), least->told, most->told, ended);
}

int run(int count, char** arguments) {
  CLI::App app;
  std::uint16_t port = 0;
  std::size_t streams = 1;
  std::string wire = "http";
  CallShape shape;
  app.add_option("port", port)->required();
  app.add_option("--streams", streams);
  app.add_option("--wire", wire);
  app.add_option("--path", shape.path);
  app.add_option("--key", shape.key);
  CLI11_PARSE(app, count, arguments);
  raise_open_files();
  Crowd crowd;
  crowd.open(streams, wire_of(wire), port, shape);
  crowd.listen();
  crowd.report();
  return 0;
}

}  // namespace
}  // namespace bartizan

int main(int count, char** arguments) {
  return bartizan::run(count, arguments);
}
