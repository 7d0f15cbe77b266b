// The benchmark's server behind pipes: a JSON-RPC message a line, answered at once by answers.cc.
// It does as little as such a server can, so that what is measured is whoever stands in front.
#include <unistd.h>

#include <string>

#include "tests/bench/answers.h"
#include "tests/bench/sockets.h"

namespace bartizan {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} * 1024;

void write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written < 0) give_up("write");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Answers the complete lines, all in one write as a server under load does, and drops them.
void serve(std::string& in) {
  std::string out;
  std::size_t at = 0;
  for (std::size_t end = in.find('\n'); end != std::string::npos; end = in.find('\n', at)) {
    const std::string answer = answer_to(std::string_view(in).substr(at, end - at));
    if (!answer.empty()) out += answer + "\n";
    at = end + 1;
  }
  in.erase(0, at);
  write_all(out);
}

}  // namespace
}  // namespace bartizan

int main() {
  std::string in;
  while (true) {
    const std::size_t before = in.size();
    in.resize(before + bartizan::kReadBytes);
    const ssize_t got = read(STDIN_FILENO, in.data() + before, bartizan::kReadBytes);
    if (got <= 0) return 0;
    in.resize(before + static_cast<std::size_t>(got));
    bartizan::serve(in);
  }
}
