#include <string>
#include <string_view>

#include "tests/config/load_errors.h"

namespace bartizan {
namespace {

TEST(EndpointErrors, SayWhatToWrite) {
  const Wrong rows[] = {
      {"a path alone", "[endpoint.desk]\npath = \"/mcp\"", ""},
      {"all keys", R"([endpoint.desk]
path = "/desk/mcp"
auth = ["api_key.ci"]
servers = ["files"]
tools = ["files/read_*"]
resource = "https://gateway.example.com/desk/mcp")",
       ""},
      {"the kind of credential", "[endpoint.desk]\npath = \"/mcp\"\nauth = [\"api_key\"]", ""},
      {"another protocol",
       "[endpoint.desk]\npath = \"/mcp\"\nprotocol = \"groundhog\"\n[listen]\nweb_socket = true",
       ""},
      {"a protocol without its transport",
       "[endpoint.desk]\npath = \"/mcp\"\nprotocol = \"groundhog\"",
       "/etc/b/c.toml:6:12: error: Groundhog needs WebSockets; write web_socket = true in "
       "[listen]\n"},
      {"agents of Fabricore",
       "[endpoint.desk]\npath = \"/mcp\"\nprotocol = \"fabricore\"\n[listen]\nweb_socket = true",
       ""},
      {"registrars of Fabricore",
       "[endpoint.desk]\npath = \"/mcp\"\nprotocol = \"fabricore\"\nregistrars = "
       "[\"reader\"]\n[listen]\nweb_socket = true",
       "/etc/b/c.toml:7:14: error: \"registrars\" is for endpoints with protocol = \"groundhog\"; "
       "other clients register no tools\n"},
      {"a protocol that is none", "[endpoint.desk]\npath = \"/mcp\"\nprotocol = \"ground\"",
       "/etc/b/c.toml:6:12: error: \"protocol\" must be \"mcp\", \"groundhog\" or "
       "\"fabricore\", not \"ground\"\n"},
      {"registrars of MCP", "[endpoint.desk]\npath = \"/mcp\"\nregistrars = [\"reader\"]",
       "/etc/b/c.toml:6:14: error: \"registrars\" is for endpoints with protocol = \"groundhog\"; "
       "other clients register no tools\n"},
      {"registrars without a state file",
       "[endpoint.desk]\npath = \"/mcp\"\nprotocol = \"groundhog\"\nregistrars = "
       "[\"reader\"]\n[listen]\nweb_socket = true",
       "/etc/b/c.toml:7:14: error: registered tools need [state]: they outlive the process; write "
       "[state] with file = \"state.db\"\n"},
      {"registrars",
       "[endpoint.desk]\npath = \"/mcp\"\nprotocol = \"groundhog\"\nregistrars = "
       "[\"reader\"]\n[listen]\nweb_socket = true\n[state]\nfile = \"state.db\"",
       ""},
      {"a registrar that is not a role",
       "[endpoint.desk]\npath = \"/mcp\"\nprotocol = \"groundhog\"\nregistrars = "
       "[\"readers\"]\n[listen]\nweb_socket = true\n[state]\nfile = \"state.db\"",
       "/etc/b/c.toml:7:15: error: there is no role \"readers\"; did you mean \"reader\"?\n"},
      {"no registrar",
       "[endpoint.desk]\npath = \"/mcp\"\nprotocol = \"groundhog\"\nregistrars = []\n"
       "[listen]\nweb_socket = true",
       "/etc/b/c.toml:7:14: error: \"registrars\" is empty; leave it out where nobody may register "
       "tools\n"},
      {"a search of another protocol",
       "[endpoint.desk]\npath = \"/mcp\"\nprotocol = \"groundhog\"\ndiscovery = "
       "\"search\"\n[listen]\nweb_socket = true",
       "/etc/b/c.toml:7:13: error: \"discovery\" is for clients of MCP, and this endpoint speaks "
       "Groundhog\n"},
      {"no path", "[endpoint.desk]", "/etc/b/c.toml:4:11: error: an endpoint needs \"path\"\n"},
      {"a path that is none", "[endpoint.desk]\npath = \"mcp\"",
       "/etc/b/c.toml:5:8: error: \"path\" must be a plain absolute path such as \"/mcp\", not "
       "\"mcp\"\n"},
      {"a path with a query", "[endpoint.desk]\npath = \"/mcp?a=b\"",
       "/etc/b/c.toml:5:8: error: \"path\" must be a plain absolute path such as \"/mcp\", not "
       "\"/mcp?a=b\"\n"},
      {"a path of metadata", "[endpoint.desk]\npath = \"/.well-known/mcp\"",
       "/etc/b/c.toml:5:8: error: \"path\" must be a plain absolute path such as \"/mcp\", not "
       "\"/.well-known/mcp\"\n"},
      {"one path twice", "[endpoint.a]\npath = \"/mcp\"\n[endpoint.b]\npath = \"/mcp\"",
       "/etc/b/c.toml:7:8: error: the endpoints \"a\" and \"b\" have the same \"path\"\n"},
      {"beside the path of [listen]", "[endpoint.a]\npath = \"/a\"\n[listen]\npath = \"/mcp\"",
       "/etc/b/c.toml:6:2: error: [listen] \"path\" would not be served beside [endpoint.NAME] "
       "tables; give one of the endpoints that path, and take it out of [listen]\n"},
      {"a resource at the path of another",
       "[endpoint.a]\npath = \"/a\"\nresource = \"https://x.example/b\"\n[endpoint.b]\npath = "
       "\"/b\"",
       "/etc/b/c.toml:4:11: error: the path of \"resource\" of \"a\" is that of the endpoint "
       "\"b\"; clients would find the metadata of the wrong one\n"},
      {"a key that is not there", "[endpoint.desk]\npath = \"/mcp\"\nauth = [\"api_key.co\"]",
       "/etc/b/c.toml:6:9: error: there is no credential \"api_key.co\" in [auth]; did you mean "
       "\"api_key.ci\"?\n"},
      {"a kind that is none", "[endpoint.desk]\npath = \"/mcp\"\nauth = [\"ldap\"]",
       "/etc/b/c.toml:6:9: error: there is no credential \"ldap\" in [auth]; write \"api_key\" or "
       "\"issuer\" for all of a kind, or \"issuer.NAME\" for one\n"},
      {"no credential", "[endpoint.desk]\npath = \"/mcp\"\nauth = []",
       "/etc/b/c.toml:6:8: error: \"auth\" is empty; leave it out to accept everything that [auth] "
       "has\n"},
      {"a server that is not there", "[endpoint.desk]\npath = \"/mcp\"\nservers = [\"flies\"]",
       "/etc/b/c.toml:6:12: error: there is no server \"flies\"; did you mean \"files\"?\n"},
      {"no server", "[endpoint.desk]\npath = \"/mcp\"\nservers = []",
       "/etc/b/c.toml:6:11: error: \"servers\" is empty; leave it out to show all servers\n"},
      {"a tool of a server that is left out",
       "[endpoint.desk]\npath = \"/mcp\"\nservers = [\"files\"]\ntools = "
       "[\"mail/send\"]\n[server.mail]\nurl = \"https://example.com/\"",
       "/etc/b/c.toml:7:10: error: the server \"mail\" is not in \"servers\" of this endpoint\n"},
      {"a resource that is not a URL", "[endpoint.desk]\npath = \"/mcp\"\nresource = \"gateway\"",
       "/etc/b/c.toml:6:12: error: \"resource\" is not a URL: \"gateway\"; write the URL at which "
       "clients reach the endpoint, such as \"https://gateway.example.com/mcp\", without query and "
       "fragment\n"},
      {"a resource with a fragment",
       "[endpoint.desk]\npath = \"/mcp\"\nresource = \"https://a.example/#x\"",
       "/etc/b/c.toml:6:12: error: \"resource\" is not a URL: \"https://a.example/#x\"; write the "
       "URL "
       "at which clients reach the endpoint, such as \"https://gateway.example.com/mcp\", without "
       "query and fragment\n"},
      {"a rule for an endpoint that is not there",
       "[endpoint.desk]\npath = \"/mcp\"\n[rule.r]\neffect = \"forbid\"\nroles = [\"*\"]\ntools = "
       "[\"files/*\"]\nwhen.endpoint = [\"desc\"]",
       "/etc/b/c.toml:10:6: error: there is no endpoint \"desc\"; did you mean \"desk\"?\n"},
  };
  for (const Wrong& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(errors_of(row.text), row.problem);
  }
}

}  // namespace
}  // namespace bartizan
