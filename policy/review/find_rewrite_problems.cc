#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "config/problems.h"
#include "policy/check/compile_policy.h"
#include "policy/text/match.h"

namespace bartizan {
namespace {

/// Finds forced values that another profile of the same tools refuses.
class RewriteReview {
 public:
  explicit RewriteReview(const Config& config) : config_(config) {}

  std::vector<ConfigProblem> run() && {
    for (std::size_t i = 0; i < config_.tools.size(); ++i) {
      for (std::size_t j = i; j < config_.tools.size(); ++j)
        compare(config_.tools[i], config_.tools[j]);
    }
    return std::move(problems_);
  }

 private:
  void compare(const ToolProfile& one, const ToolProfile& other) {
    if (!Glob(one.pattern).meets(Glob(other.pattern))) return;
    for (const ArgumentPredicate& asked : one.arguments) {
      for (const ArgumentPredicate& also : other.arguments) {
        if (&asked == &also) continue;
        if (const auto* fixed = std::get_if<FixedPredicate>(&asked.predicate)) {
          compare(*fixed, asked, also, other);
        } else if (std::holds_alternative<FixedPredicate>(also.predicate) && &one != &other) {
          compare(std::get<FixedPredicate>(also.predicate), also, asked, one);
        }
      }
    }
  }

  void compare(const FixedPredicate& fixed, const ArgumentPredicate& of,
               const ArgumentPredicate& with, const ToolProfile& profile) {
    const auto* other = std::get_if<FixedPredicate>(&with.predicate);
    const bool is_absent = std::holds_alternative<AbsentPredicate>(with.predicate);
    const bool is_same_place = of.pointer == with.pointer;
    if (is_absent && (is_same_place || is_above(with.pointer, of.pointer))) {
      return report(of, "is forced, and " + quote(with.pointer) + " must be absent under " +
                            quote(profile.pattern));
    }
    if (other == nullptr) return;
    if (is_same_place && other->value != fixed.value) {
      return report(of, "is forced to another value by " + quote(profile.pattern));
    }
    if (is_above(of.pointer, with.pointer)) {
      report(of, "is forced, and so is " + quote(with.pointer) + " below it, by " +
                     quote(profile.pattern));
    }
  }

  static bool is_above(std::string_view pointer, std::string_view other) {
    return other.size() > pointer.size() && other.starts_with(pointer) &&
           other[pointer.size()] == '/';
  }

  void report(const ArgumentPredicate& of, std::string message) {
    problems_.push_back({ConfigProblem::Severity::error, text(config_, of.where),
                         quote(of.pointer) + " " + std::move(message),
                         "some tool can be matched by both, and no call of it would pass"});
  }

  const Config& config_;
  std::vector<ConfigProblem> problems_;
};

}  // namespace

std::vector<ConfigProblem> find_rewrite_problems(const Config& config) {
  return RewriteReview(config).run();
}

}  // namespace bartizan
