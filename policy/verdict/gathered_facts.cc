#include "policy/verdict/gathered_facts.h"

#include <algorithm>
#include <utility>

#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

constexpr std::size_t most(FactQuery::Kind kind) {
  switch (kind) {
    case FactQuery::Kind::place:
    case FactQuery::Kind::text:
      return limits::questions_max;
    case FactQuery::Kind::content:
      return limits::content_questions_max;
    case FactQuery::Kind::addresses:
      break;
  }
  return limits::address_questions_max;
}

/// Whether a path that a person wrote down is this one below a root.
bool is_path(std::string_view absolute, std::string_view root, std::string_view name) {
  if (root.empty()) return absolute == name;
  if (!absolute.starts_with(root)) return false;
  absolute.remove_prefix(root.size());
  if (name.empty()) return absolute.empty();
  if (root != "/") {
    if (!absolute.starts_with('/')) return false;
    absolute.remove_prefix(1);
  }
  return absolute == name;
}

}  // namespace

std::string text(const FactQuery& question) {
  const std::string quoted = json_string(absolute_name(question));
  switch (question.kind) {
    case FactQuery::Kind::place:
      return "places " + quoted;
    case FactQuery::Kind::content:
      return "contents " + quoted;
    // Descriptions of calls say of a place whether it is a file of text.
    case FactQuery::Kind::text:
      return "places " + quoted;
    case FactQuery::Kind::addresses:
      break;
  }
  return "addresses " + quoted;
}

std::string absolute_name(const FactQuery& question) {
  if (question.root.empty()) return question.name;
  if (question.name.empty()) return question.root;
  return question.root + (question.root.ends_with('/') ? "" : "/") + question.name;
}

QuestionList::QuestionList(std::span<const GatheredFact> known) {
  for (const GatheredFact& fact : known)
    ++counts_[static_cast<std::size_t>(fact.question.kind)];
}

void QuestionList::add(FactQuery::Kind kind, std::string_view root, std::string_view name) {
  if (is_full_) return;
  const bool is_there = std::ranges::any_of(questions_, [&](const FactQuery& question) {
    return question.kind == kind && question.root == root && question.name == name;
  });
  if (is_there) return;
  std::size_t& count = counts_[static_cast<std::size_t>(kind)];
  is_full_ = count >= most(kind);
  if (is_full_) return;
  ++count;
  questions_.push_back({.kind = kind, .root = std::string(root), .name = std::string(name)});
}

std::vector<FactQuery> QuestionList::take() && {
  if (is_full_) questions_.clear();
  return std::move(questions_);
}

const Finding* find_fact(std::span<const GatheredFact> facts, FactQuery::Kind kind,
                         std::string_view root, std::string_view name) {
  const auto found = std::ranges::find_if(facts, [&](const GatheredFact& fact) {
    const FactQuery& asked = fact.question;
    if (asked.kind != kind) return false;
    if (asked.root == root) return asked.name == name;
    return asked.root.empty() && is_path(asked.name, root, name);
  });
  return found == facts.end() ? nullptr : &found->finding;
}

}  // namespace bartizan
