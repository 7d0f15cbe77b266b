#include "gateway/launch/launch_plan.h"

#include <cstring>
#include <type_traits>

namespace bartizan {
namespace {

class PlanWriter {
 public:
  template <class T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void operator()(const T& value) {
    std::uint64_t number = static_cast<std::uint64_t>(value);
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  void operator()(const std::string& text) {
    (*this)(text.size());
    bytes_ += text;
  }
  template <class T>
  void operator()(const std::vector<T>& all) {
    (*this)(all.size());
    for (const T& one : all)
      (*this)(one);
  }
  std::string take() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class PlanReader {
 public:
  explicit PlanReader(std::string_view bytes) : rest_(bytes) {}

  template <class T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void operator()(T& value) {
    std::uint64_t number = 0;
    if (rest_.size() < sizeof number) return give_up();
    std::memcpy(&number, rest_.data(), sizeof number);
    rest_.remove_prefix(sizeof number);
    value = static_cast<T>(number);
  }
  void operator()(std::string& text) {
    std::size_t size = 0;
    (*this)(size);
    if (size > rest_.size()) return give_up();
    text = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }
  template <class T>
  void operator()(std::vector<T>& all) {
    std::size_t size = 0;
    (*this)(size);
    // Each element has at least eight bytes.
    if (size > rest_.size() / sizeof(std::uint64_t)) return give_up();
    all.resize(size);
    for (T& one : all)
      (*this)(one);
  }
  bool is_whole() const { return is_sound_ && rest_.empty(); }

 private:
  void give_up() {
    is_sound_ = false;
    rest_ = {};
  }

  std::string_view rest_;
  bool is_sound_ = true;
};

/// Visits each part in order, for the encoder and the decoder. The binding names every field of the
/// sandbox, so that a new one cannot be forgotten here.
template <class Plan, class Account, class Visit>
void visit_parts(Plan& plan, Account& account, Visit&& visit) {
  visit(plan.program);
  visit(plan.arguments);
  visit(plan.environment);
  visit(plan.cwd);
  visit(account.uid);
  visit(account.gid);
  visit(account.groups);
  auto& [level, user, home, network, read, write, memory, open_files, total_memory, processes,
         cpu_percent] = plan.sandbox;
  visit(level);
  visit(user);
  visit(home);
  visit(network);
  visit(read);
  visit(write);
  visit(memory);
  visit(open_files);
  visit(total_memory);
  visit(processes);
  visit(cpu_percent);
  visit(plan.has_image);
  visit(plan.purpose);
}

}  // namespace

std::string encode_plan(const LaunchPlan& plan) {
  PlanWriter writer;
  writer(plan.account.has_value());
  const Account account = plan.account.value_or(Account());
  visit_parts(plan, account, writer);
  return std::move(writer).take();
}

std::optional<LaunchPlan> decode_plan(std::string_view bytes) {
  PlanReader reader(bytes);
  LaunchPlan plan;
  bool has_account = false;
  reader(has_account);
  Account account;
  visit_parts(plan, account, reader);
  if (!reader.is_whole()) return std::nullopt;
  if (has_account) plan.account = std::move(account);
  return plan;
}

}  // namespace bartizan
