#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "config/problems.h"
#include "policy/check/compile_policy.h"
#include "policy/review/unused_form.h"
#include "policy/url/check_url.h"

namespace bartizan {
namespace {

using Severity = ConfigProblem::Severity;

constexpr std::string_view kEveryHost = "**";

/// A host that the pattern matches, such as `x.example.com` for `**.example.com`.
std::string host_like(std::string_view pattern) {
  std::string host(pattern);
  if (host.starts_with("**")) host.erase(0, 1);
  std::ranges::replace(host, '*', 'x');
  return host;
}

class UrlReview {
 public:
  explicit UrlReview(const Config& config) : config_(config) {}

  std::vector<ConfigProblem> run() && {
    for (const auto& [name, url] : config_.urls)
      review(url.form);
    for (const ArgumentPredicate* argument : predicates_of(config_))
      review(*argument);
    std::set<std::string_view> named;
    for (const auto& [name, server] : config_.servers)
      named.insert(server.elicitation_urls);
    warn_of_unused<UrlPredicate>(config_, "url", config_.urls, problems_, std::move(named));
    return std::move(problems_);
  }

 private:
  void report(Severity severity, const Position& where, std::string message,
              std::string hint = {}) {
    problems_.push_back({severity, text(config_, where), std::move(message), std::move(hint)});
  }

  /// A named form is reviewed at its own place.
  void review(const ArgumentPredicate& argument) {
    const auto* url = std::get_if<UrlPredicate>(&argument.predicate);
    if (url == nullptr) return;
    if (url->name.empty()) return review(url->form);
    if (config_.urls.contains(url->name)) return;
    report(Severity::error, argument.where, "no [url." + url->name + "] is defined");
  }

  void review(const UrlForm& form) {
    for (const std::string& host : form.hosts)
      review_host(form, host);
    const bool is_open = std::ranges::find(form.hosts, kEveryHost) != form.hosts.end();
    if (!is_open || !form.allow_private) return;
    report(Severity::warning, form.hosts_where,
           "any URL passes that leads into this machine or a network of its own",
           "name the hosts, or leave private_networks = \"refuse\"");
  }

  void review_host(const UrlForm& form, const std::string& host) {
    if (!HostPattern::read(host)) {
      report(Severity::error, form.hosts_where, quote(host) + " is not a pattern of hosts",
             "write a name in lower case, \"*.NAME\" for one label more, \"**.NAME\" for all below "
             "it, \"**\" for every host, or an address as URLs have it, \"10.0.0.7\" or \"[::1]\"");
      return;
    }
    if (host == kEveryHost || form.schemes.empty()) return;
    const std::string url = form.schemes.front() + "://" + host_like(host) + "/";
    if (judge_url(url, compile_url_rules(form)) != UrlRefusal::address) return;
    report(Severity::warning, form.hosts_where,
           quote(host) + " never passes: it is not of the Internet",
           form.allow_private ? "such addresses are refused to everyone"
                              : "private_networks = \"allow\" lets private ones pass");
  }

  const Config& config_;
  std::vector<ConfigProblem> problems_;
};

}  // namespace

std::vector<ConfigProblem> find_url_problems(const Config& config) {
  return UrlReview(config).run();
}

}  // namespace bartizan
