#include "policy/verdict/principal.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace bartizan {
namespace {

TEST(TrustOfRoles, IsTheLowestThatARoleStates) {
  RoleConfigs roles;
  roles["analyst"] = {.name = "analyst", .trust = Trust::verified};
  roles["guest"] = {.name = "guest", .trust = Trust::community};
  roles["outcast"] = {.name = "outcast", .trust = Trust::untrusted};
  roles["reader"] = {.name = "reader"};
  const struct {
    std::string_view name;
    std::vector<std::string> roles;
    Trust trust;
    std::string_view by;
  } rows[] = {
      {"one role", {"analyst"}, Trust::verified, "analyst"},
      {"the lower of two", {"analyst", "guest"}, Trust::community, "guest"},
      {"the lower of two, written first", {"guest", "analyst"}, Trust::community, "guest"},
      {"a role that states none lowers nothing", {"reader", "analyst"}, Trust::verified, "analyst"},
      {"one that states the lowest does", {"analyst", "outcast"}, Trust::untrusted, "outcast"},
      {"no role states one", {"reader"}, Trust::untrusted, ""},
      {"no role", {}, Trust::untrusted, ""},
      {"a role that is not configured", {"analyst", "nobody"}, Trust::untrusted, "nobody"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const RoleTrust found = trust_of_roles(row.roles, roles);
    EXPECT_EQ(found.trust, row.trust);
    EXPECT_EQ(found.role, row.by);
  }
}

}  // namespace
}  // namespace bartizan
