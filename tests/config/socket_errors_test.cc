#include <string>
#include <string_view>

#include "tests/config/load_errors.h"

namespace bartizan {
namespace {

TEST(SocketErrors, SayWhatToWrite) {
  const Wrong rows[] = {
      {"a Unix socket with accounts", "[socket.a]\npath = \"/run/a\"\nusers = { root = \"ann\" }",
       ""},
      {"a Unix socket for everyone who may connect",
       "[socket.a]\npath = \"/run/a\"\nopen_to = \"group\"\nprincipal = \"ann\"", ""},
      {"TCP on loopback", "[socket.a]\naddress = \"[::1]:7\"\nprincipal = \"ann\"", ""},
      {"neither place", "[socket.a]\nprincipal = \"ann\"",
       "/etc/b/c.toml:4:9: error: a socket needs either \"path\" or \"address\"; path = "
       "\"/run/bartizan/mcp.sock\" is a Unix socket, address = \"127.0.0.1:7070\" is TCP\n"},
      {"both places",
       "[socket.a]\npath = \"/run/a\"\naddress = \"127.0.0.1:7\"\nprincipal = \"ann\"",
       "/etc/b/c.toml:4:9: error: a socket needs either \"path\" or \"address\"; path = "
       "\"/run/bartizan/mcp.sock\" is a Unix socket, address = \"127.0.0.1:7070\" is TCP\n"},
      {"nobody is proved", "[socket.a]\npath = \"/run/a\"",
       "/etc/b/c.toml:4:9: error: no client can authenticate at this socket; write users = { "
       "ACCOUNT = \"PRINCIPAL\" }, or principal\n"},
      {"nobody is proved over TCP", "[socket.a]\naddress = \"127.0.0.1:7\"",
       "/etc/b/c.toml:4:9: error: no client can authenticate at this socket; write principal = "
       "\"PRINCIPAL\", or tls with client_ca and [auth.certificate.NAME]\n"},
      {"everyone beyond loopback", "[socket.a]\naddress = \"0.0.0.0:7\"\nprincipal = \"ann\"",
       "/etc/b/c.toml:5:11: error: \"address\" is not a loopback address, and clients do not "
       "authenticate; add tls with client_ca, and [auth.certificate.NAME]\n/etc/b/c.toml:6:13: "
       "error: \"principal\" on an address that is not loopback would give every client that "
       "principal\n"},
      {"accounts over TCP",
       "[socket.a]\naddress = \"127.0.0.1:7\"\nprincipal = \"ann\"\nusers = { root = \"ann\" }",
       "/etc/b/c.toml:7:9: error: \"users\" is for \"path\"\n"},
      {"TLS on a Unix socket",
       "[socket.a]\npath = \"/run/a\"\nprincipal = \"ann\"\ntls = { cert = \"c\", key = \"file:k\" "
       "}",
       "/etc/b/c.toml:7:7: error: \"tls\" is for \"address\"\n"},
      {"no such principal", "[socket.a]\npath = \"/run/a\"\nprincipal = \"bob\"",
       "/etc/b/c.toml:6:13: error: there is no principal \"bob\"; write [principal.bob] with roles "
       "= [\"ROLE\"]\n"},
      {"no such endpoint",
       "[socket.a]\npath = \"/run/a\"\nprincipal = \"ann\"\nendpoint = \"desk\"\n[endpoint.a]\n"
       "path = \"/a\"",
       "/etc/b/c.toml:7:12: error: there is no endpoint \"desk\"\n"},
      {"no endpoint where there are some",
       "[socket.a]\npath = \"/run/a\"\nprincipal = \"ann\"\n[endpoint.a]\npath = \"/a\"",
       "/etc/b/c.toml:4:9: error: a socket beside [endpoint.NAME] tables needs \"endpoint\"; write "
       "whose clients these are: endpoint = \"NAME\"\n"},
      {"the admin socket",
       "[socket.a]\npath = \"/run/a\"\nprincipal = \"ann\"\n[admin]\nsocket = \"/run/a\"",
       "/etc/b/c.toml:5:8: error: \"path\" is that of the admin socket\n"},
      {"a WebSocket server", "[server.a]\nurl = \"wss://a.example/mcp\"", ""},
      {"a server over TLS", "[server.a]\nurl = \"tls://a.example:7\"", ""},
      {"a server on a Unix socket", "[server.a]\nurl = \"unix:/run/a\"", ""},
      {"a server of 2024-11-05", "[server.a]\nurl = \"https://a.example/sse\"\ntransport = \"sse\"",
       ""},
      {"lines without a port", "[server.a]\nurl = \"tcp://a.example\"",
       "/etc/b/c.toml:5:7: error: \"tcp://a.example\" is not a host and port; write url = "
       "\"tcp://127.0.0.1:7070\"\n"},
      {"lines with a path", "[server.a]\nurl = \"tcp://a.example:7/mcp\"",
       "/etc/b/c.toml:5:7: error: \"tcp://a.example:7/mcp\" is not a host and port; write url = "
       "\"tcp://127.0.0.1:7070\"\n"},
      {"a socket that is not absolute", "[server.a]\nurl = \"unix:run/a\"",
       "/etc/b/c.toml:5:7: error: \"unix:\" must be followed by an absolute path of 107 bytes at "
       "most; write url = \"unix:/run/server/mcp.sock\"\n"},
      {"SSE over a WebSocket", "[server.a]\nurl = \"ws://a.example/\"\ntransport = \"sse\"",
       "/etc/b/c.toml:6:13: error: \"transport\" is for a server with an http:// or https:// "
       "\"url\"\n"},
      {"another scheme", "[server.a]\nurl = \"ftp://a.example/\"",
       "/etc/b/c.toml:5:7: error: \"url\" must be an http://, https://, ws://, wss://, tcp://, "
       "tls:// or unix: URL without fragment\n"},
      {"a scheme for SSE", "[server.a]\nurl = \"sse://a.example/sse\"",
       "/etc/b/c.toml:5:7: error: \"url\" must be an http://, https://, ws://, wss://, tcp://, "
       "tls:// or unix: URL without fragment; write the http:// or https:// URL of its event "
       "stream, and transport = \"sse\"\n"},
      {"headers where no head is sent",
       "[server.a]\nurl = \"tcp://a.example:7\"\nheaders = { X-A = \"b\" }",
       "/etc/b/c.toml:6:11: error: \"headers\" has no effect on a server with \"tcp:// or "
       "tls://\"\n"},
      {"credentials in the URL", "[server.a]\nurl = \"ws://user:pass@a.example/\"",
       "/etc/b/c.toml:5:7: error: \"url\" must not hold a user name or password; write credentials "
       "= { bearer = \"file:PATH\" }\n"},
      {"a handshake that is neither", "[endpoint.a]\npath = \"/a\"\nhandshake = \"none\"",
       "/etc/b/c.toml:6:13: error: \"handshake\" must be \"required\" or \"implied\", not "
       "\"none\"\n"},
  };
  for (const Wrong& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(errors_of(row.text), row.problem);
  }
}

}  // namespace
}  // namespace bartizan
