#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "policy/check/compile_policy.h"

namespace bartizan {
namespace {

/// The problems of a configuration with that form under a name, each as `PLACE SEVERITY: MESSAGE`.
std::vector<std::string> problems_of(const UrlForm& form, bool is_used = true) {
  Config config;
  config.files = {"c.toml"};
  config.urls["u"] = {.name = "u", .form = form, .where = {.line = 1, .column = 1}};
  config.urls["u"].form.hosts_where = {.line = 2, .column = 9};
  if (is_used) {
    const UrlPredicate named{.name = "u", .form = config.urls["u"].form};
    config.tools = {{.pattern = "s/t", .arguments = {{.pointer = "/a", .predicate = named}}}};
  }
  std::vector<std::string> lines;
  for (const ConfigProblem& problem : find_url_problems(config)) {
    const bool is_error = problem.severity == ConfigProblem::Severity::error;
    lines.push_back(problem.where + (is_error ? " error: " : " warning: ") + problem.message);
  }
  return lines;
}

TEST(FindUrlProblems, FindsHostsThatAreNone) {
  for (const std::string_view host :
       {"example.com", "*.example.com", "**.example.com", "**", "api-*.example.com", "8.8.8.8",
        "[2606:4700::1111]", "xn--bcher-kva.example"}) {
    EXPECT_EQ(problems_of({.hosts = {std::string(host)}}), std::vector<std::string>()) << host;
  }
  for (const std::string_view host :
       {"Example.com", "https://example.com", "example.com:443", "example.com/", "*", "example.*",
        "a.**.example.com", "example.com.", "0x7f.1", "8.8.8.08", "2606:4700::1111",
        "b\xc3\xbc.example", "exam ple.com", "ann@example.com"}) {
    EXPECT_EQ(
        problems_of({.hosts = {"example.com", std::string(host)}}),
        std::vector{"c.toml:2:9 error: \"" + std::string(host) + "\" is not a pattern of hosts"})
        << host;
  }
}

TEST(FindUrlProblems, FindsWhatIsDoubtful) {
  const auto never = [](std::string_view host) {
    return std::vector{"c.toml:2:9 warning: \"" + std::string(host) +
                       "\" never passes: it is not of the Internet"};
  };
  for (const std::string_view host :
       {"localhost", "*.internal", "**.corp", "10.0.0.7", "[::1]", "169.254.169.254"})
    EXPECT_EQ(problems_of({.hosts = {std::string(host)}}), never(host)) << host;
  for (const std::string_view host : {"localhost", "*.internal", "10.0.0.7", "[::1]"}) {
    const UrlForm form{.hosts = {std::string(host)}, .allow_private = true};
    EXPECT_EQ(problems_of(form), std::vector<std::string>()) << host;
  }
  EXPECT_EQ(problems_of({.hosts = {"169.254.169.254"}, .allow_private = true}),
            never("169.254.169.254"));
  EXPECT_EQ(problems_of({.hosts = {"**"}, .allow_private = true}),
            std::vector<std::string>{"c.toml:2:9 warning: any URL passes that leads into this "
                                     "machine or a network of its own"});
  EXPECT_EQ(
      problems_of({.hosts = {"example.com"}}, false),
      std::vector<std::string>{"c.toml:1:1 warning: [url.u] guards nothing: no [tool.…] and no "
                               "rule names it"});
}

TEST(FindUrlProblems, LooksAtFormsInPlace) {
  Config config;
  config.files = {"c.toml"};
  config.tools = {
      {.pattern = "s/t",
       .arguments = {{.pointer = "/a", .predicate = UrlPredicate{.form = {.hosts = {"A"}}}},
                     {.pointer = "/b", .predicate = UrlPredicate{.name = "v"}}}}};
  const auto problems = find_url_problems(config);
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0].message, "\"A\" is not a pattern of hosts");
  EXPECT_EQ(problems[1].message, "no [url.v] is defined");
}

}  // namespace
}  // namespace bartizan
