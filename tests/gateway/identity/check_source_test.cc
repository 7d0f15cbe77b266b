#include "gateway/identity/check_source.h"

#include <gtest/gtest.h>

#include <string>

namespace bartizan {
namespace {

ListenConfig loopback() {
  ListenConfig listen;
  listen.address = {.host = "127.0.0.1", .port = 8080};
  listen.allowed_hosts = {"gate.example"};
  listen.allowed_origins = {"https://app.example", "http://dev.example:3000"};
  return listen;
}

ListenConfig published() {
  ListenConfig listen = loopback();
  listen.address.host = "0.0.0.0";
  listen.allowed_hosts = {"gate.example", "pinned.example:8443", "[2001:db8::1]"};
  return listen;
}

TEST(CheckSource, KnowsByWhichNamesItsStatusIsAsked) {
  const MetricsConfig metrics{.allowed_hosts = {"gate.monitoring.svc", "pinned.example:9901"}};
  const struct {
    std::string_view host;
    bool is_allowed;
  } cases[] = {
      {"127.0.0.1:9901", true},
      {"10.1.2.3", true},
      {"[::1]:9901", true},
      {"[2001:db8::1]", true},
      {"localhost", true},
      {"bartizan:9901", true},
      {"", true},
      {"gate.monitoring.svc:9901", true},
      {"GATE.monitoring.svc", true},
      {"pinned.example:9901", true},
      {"pinned.example:9902", false},
      {"evil.example", false},
      {"evil.example:9901", false},
      {"127.0.0.1.evil.example:9901", false},
      {"localhost.evil.example", false},
      {"10.1.2", false},
      {"0x7f.1", false},
      {"localhost.", false},
      {"10.1.2.3:80@evil.example", false},
  };
  for (const auto& c : cases)
    EXPECT_EQ(is_status_host_allowed(metrics, c.host), c.is_allowed) << c.host;
}

TEST(CheckSource, KnowsWhereFormsOfTheConsoleComeFrom) {
  const ConsoleConfig console{.allowed_origins = {"https://console.example"}};
  const struct {
    std::string_view host, origin;
    bool over_plain, over_tls;
  } cases[] = {
      {"127.0.0.1:9301", "http://127.0.0.1:9301", true, false},
      {"127.0.0.1:9301", "https://127.0.0.1:9301", false, true},
      {"LOCALHOST:9301", "http://localhost:9301", true, false},
      {"localhost:9301", "http://127.0.0.1:9301", false, false},
      {"127.0.0.1:9301", "http://127.0.0.1:9302", false, false},
      {"127.0.0.1:9301", "http://127.0.0.1", false, false},
      {"127.0.0.1:9301", "http://127.0.0.1:9301/", false, false},
      {"127.0.0.1:9301", "127.0.0.1:9301", false, false},
      {"127.0.0.1:9301", "null", false, false},
      {"127.0.0.1:9301", "", false, false},
      {"127.0.0.1:9301", "https://console.example", true, true},
      {"127.0.0.1:9301", "http://console.example", false, false},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(is_console_origin(console, c.host, false, c.origin), c.over_plain) << c.origin;
    EXPECT_EQ(is_console_origin(console, c.host, true, c.origin), c.over_tls) << c.origin;
  }
}

TEST(CheckSource, KnowsItsOwnNames) {
  const struct {
    std::string_view host;
    bool on_loopback;
    bool published;
  } cases[] = {
      {"localhost", true, false},
      {"localhost:8080", true, false},
      {"LocalHost:9", true, false},
      {"127.0.0.1", true, false},
      {"127.0.0.1:8080", true, false},
      {"[::1]", true, false},
      {"[::1]:8080", true, false},
      {"gate.example", true, true},
      {"GATE.Example", true, true},
      {"gate.example:8443", true, true},
      {"pinned.example:8443", false, true},
      {"pinned.example:8444", false, false},
      {"pinned.example", false, false},
      {"[2001:db8::1]", false, true},
      {"[2001:DB8::1]:443", false, true},
      {"[2001:db8::2]", false, false},
      {"2001:db8::1", false, false},
      {"::1", false, false},
      {"", false, false},
      {":8080", false, false},
      {"[]", false, false},
      {"[", false, false},
      {"evil.example", false, false},
      {"evil.example:8080", false, false},
      {"gate.example.", false, false},
      {"localhost.", false, false},
      {"localhost.evil.example", false, false},
      {"evil.localhost", false, false},
      {"gate.example.evil.example", false, false},
      {"xgate.example", false, false},
      {"127.0.0.1.evil.example", false, false},
      {"127.0.0.2", false, false},
      {"127.1", false, false},
      {"0.0.0.0", false, false},
      {"2130706433", false, false},
      {"[::ffff:127.0.0.1]", false, false},
      // What is behind the colon of these is no port, and what is before it not the host.
      {"localhost:@evil.example", false, false},
      {"localhost:80@evil.example", false, false},
      {"localhost:8080.evil.example", false, false},
      {"localhost:evil.example", false, false},
      {"localhost:", false, false},
      {"localhost:80:80", false, false},
      {"localhost:123456", false, false},
      {"gate.example:80@evil.example", false, false},
      {"gate.example:evil", false, false},
      {"user@localhost", false, false},
      {"user:pass@localhost", false, false},
      {"localhost/evil", false, false},
      {"localhost evil", false, false},
      {"[::1]evil.example", false, false},
      {"[::1].evil.example:80", false, false},
      {"[::1]:80@evil.example", false, false},
      {"evil.example:[::1]", false, false},
      {std::string_view("localhost\0", 10), false, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.host);
    EXPECT_EQ(is_host_allowed(loopback(), c.host), c.on_loopback);
    EXPECT_EQ(is_host_allowed(published(), c.host), c.published);
  }
}

TEST(CheckSource, KnowsTheOriginsItServes) {
  const struct {
    std::string_view origin;
    bool on_loopback;
    bool published;
  } cases[] = {
      {"https://app.example", true, true},
      {"HTTPS://App.Example", true, true},
      {"http://dev.example:3000", true, true},
      {"http://dev.example", false, false},
      {"http://dev.example:3001", false, false},
      {"http://app.example", false, false},
      {"https://app.example:443", false, false},
      {"https://app.example/", false, false},
      {"https://app.example.evil.example", false, false},
      {"https://evil.example#https://app.example", false, false},
      {"http://localhost", true, false},
      {"http://localhost:5173", true, false},
      {"https://localhost", true, false},
      {"http://127.0.0.1:5173", true, false},
      {"http://[::1]:5173", true, false},
      {"http://[::1]", true, false},
      {"http://127.0.0.2", false, false},
      {"http://gate.example", false, false},
      {"null", false, false},
      {"", false, false},
      {"localhost", false, false},
      {"//localhost", false, false},
      {"file://localhost", false, false},
      {"ws://localhost", false, false},
      {"http:localhost", false, false},
      {"http://", false, false},
      {"http://localhost.evil.example", false, false},
      {"http://evil.example:localhost", false, false},
      {"http://localhost:@evil.example", false, false},
      {"http://localhost:80@evil.example", false, false},
      {"http://localhost:x", false, false},
      {"http://localhost:", false, false},
      {"http://user@localhost", false, false},
      {"http://localhost/", false, false},
      {"http://localhost:80/", false, false},
      {"http://localhost, https://evil.example", false, false},
      {"http://localhost:80 http://evil.example:80", false, false},
      {"http://[::1]:80@evil.example", false, false},
      {"http://evil.example/http://localhost", false, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.origin);
    EXPECT_EQ(is_origin_allowed(loopback(), c.origin), c.on_loopback);
    EXPECT_EQ(is_origin_allowed(published(), c.origin), c.published);
  }
}

TEST(CheckSource, AnEmptyListServesNobodyElse) {
  ListenConfig listen;
  listen.address.host = "0.0.0.0";
  for (const std::string_view host : {"", "localhost", "127.0.0.1", "0.0.0.0", "[::]", "x"}) {
    EXPECT_FALSE(is_host_allowed(listen, host)) << host;
    EXPECT_FALSE(is_origin_allowed(listen, std::string("http://") + std::string(host))) << host;
  }
}

}  // namespace
}  // namespace bartizan
