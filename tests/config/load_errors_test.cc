#include "tests/config/load_errors.h"

namespace bartizan {
namespace {

const Wrong kRows[] = {
    {"unknown table", R"([lisen])",
     "/etc/b/c.toml:4:2: error: unknown key \"lisen\"; did you mean \"listen\"?"},
    {"unknown key", R"([listen]
adress = "127.0.0.1:1")",
     "/etc/b/c.toml:5:1: error: unknown key \"adress\" in listen; did you mean \"address\"?"},
    {"unknown key in an inline table", R"([server.files]
command = ["x"]
sandbox = { memroy = "1 GiB" })",
     "/etc/b/c.toml:6:13: error: unknown key \"memroy\" in server.files.sandbox; did you mean "
     "\"memory\"?"},
    {"a word of another program", R"([server.files]
command = ["x"]
args = ["y"])",
     "/etc/b/c.toml:6:1: error: unknown key \"args\" in server.files; the arguments belong in "
     "command = [\"PROGRAM\", \"ARGUMENT\"]"},
    {"a port alone", R"([listen]
port = 8080)",
     "/etc/b/c.toml:5:1: error: unknown key \"port\" in listen; write address = "
     "\"127.0.0.1:8080\""},
    {"the settings of a client", R"(mcpServers = {})",
     "/etc/b/c.toml:4:1: error: unknown key \"mcpServers\"; bartizan init FILE makes a "
     "configuration of a client's settings"},
    {"unknown key nothing like any", R"([log]
verbose = true)",
     "/etc/b/c.toml:5:1: error: unknown key \"verbose\" in log"},
    {"known, not built", R"([server.s]
command = ["/bin/s"]
[tool."s/t".arguments."/a"]
schema = {})",
     "/etc/b/c.toml:6:23: error: an argument needs a predicate: \"absent\", \"command\", "
     "\"digest\", "
     "\"fixed\", \"number\", \"one_of\", \"path\", \"sql\", \"text\" or \"url\"; write { path = "
     "\"NAME\" }, the name of a [path.NAME], or { text = { max_length = 256 } }\n"
     "/etc/b/c.toml:7:1: error: \"schema\" is known but not built in this version"},
    {"wrong type", R"([session]
max_concurrent = "100")",
     "/etc/b/c.toml:5:18: error: \"max_concurrent\" must be an integer, not a string"},
    {"wrong type of a table", R"(log = "info")",
     "/etc/b/c.toml:4:7: error: \"log\" must be a table, not a string"},
    {"wrong type of an entry", R"([principal.a]
roles = [1])",
     "/etc/b/c.toml:5:10: error: \"roles\" must hold strings, not an integer"},
    {"entry twice", R"([principal.a]
roles = ["reader", "reader"])",
     "/etc/b/c.toml:5:20: error: \"roles\" names \"reader\" twice"},
    {"out of range", R"([session]
max_concurrent = 0)",
     "/etc/b/c.toml:5:18: error: \"max_concurrent\" must be from 1 to 1000000, not 0"},
    {"no duration", R"([session]
idle = "30")",
     "/etc/b/c.toml:5:8: error: \"idle\" is not a duration: \"30\"; write a whole number and ms, "
     "s, "
     "m, min, h or d, such as \"30s\""},
    {"a number for a duration", R"([session]
idle = 30)",
     "/etc/b/c.toml:5:8: error: \"idle\" must be a string, not an integer; write a whole number "
     "and ms, s, m, min, h or d, such as \"30s\""},
    {"a number for a size", R"([process]
memory_max = 512)",
     "/etc/b/c.toml:5:14: error: \"memory_max\" must be a string, not an integer; write a whole "
     "number and B, KiB, MiB or GiB, such as \"512 MiB\""},
    {"a word that resembles none", R"([pins]
file = "a"
mode = "tofu")",
     "/etc/b/c.toml:6:8: error: \"mode\" must be \"locked\", \"trust_on_first_use\" or \"off\", "
     "not \"tofu\""},
    {"duration out of range", R"([session]
idle = "1ms")",
     "/etc/b/c.toml:5:8: error: \"idle\" must be from 1s to 365d"},
    {"a retention in the wrong unit", R"(audit.retention = "90s")",
     "/etc/b/c.toml:4:19: error: \"retention\" must be from 1h to 3650d"},
    {"a capture without a place", "[capture]\nmax_age = \"1d\"",
     "/etc/b/c.toml:4:2: error: capture needs \"file\""},
    {"a capture that holds nothing", R"(capture = { file = "c", max_size = "1 KiB" })",
     "/etc/b/c.toml:4:36: error: \"max_size\" must be from 64 KiB to 4 GiB"},
    {"a capture that is over at once", R"(capture = { file = "c", max_age = "1s" })",
     "/etc/b/c.toml:4:35: error: \"max_age\" must be from 1min to 3650d"},
    {"a state without a file", "[state]\n", "/etc/b/c.toml:4:2: error: state needs \"file\""},
    {"a state file that is the record", R"(state = { file = "/var/a" })",
     "/etc/b/c.toml:4:18: error: the state file is the file of [audit], too; name a file of its "
     "own, such as state.db"},
    {"a state file that is the capture", "state.file = \"c\"\ncapture.file = \"c\"",
     "/etc/b/c.toml:4:14: error: the state file is the file of [capture], too; name a file of "
     "its own, such as state.db"},
    {"a state that holds more", R"(state = { file = "s", size = "1 MiB" })",
     "/etc/b/c.toml:4:23: error: unknown key \"size\" in state; did you mean \"file\"?"},
    {"files of nothing", R"(audit.rotate = { size = "0 B" })",
     "/etc/b/c.toml:4:25: error: \"size\" must be from 4 KiB to 1024 GiB"},
    {"decimal size", R"([process]
memory_max = "512 MB")",
     "/etc/b/c.toml:5:14: error: \"memory_max\" is not a size: \"512 MB\"; write a whole number "
     "and "
     "B, KiB, MiB or GiB, such as \"512 MiB\""},
    {"size out of range", R"([process]
memory_max = "1 KiB")",
     "/etc/b/c.toml:5:14: error: \"memory_max\" must be from 64 MiB to 1024 GiB"},
    {"one of a few words", R"([log]
level = "warn")",
     "/etc/b/c.toml:5:9: error: \"level\" must be \"debug\", \"info\", \"warning\" or \"error\", "
     "not \"warn\""},
    {"a date in quotes", R"([policy]
mode = "observe"
until = "2027-01-31")",
     "/etc/b/c.toml:6:9: error: \"until\" must be a date, not a string; write a date without "
     "quotes, such as 2027-01-31"},
    {"observing without end", R"([policy]
mode = "observe")",
     "/etc/b/c.toml:5:8: error: \"mode\" = \"observe\" needs \"until\": a date that ends it; until "
     "= 2027-01-31"},
    {"an end without observing", R"([policy]
until = 2027-01-31)",
     "/etc/b/c.toml:5:9: error: \"until\" needs \"mode\" = \"observe\""},
    {"address", R"([listen]
address = "8080")",
     "/etc/b/c.toml:5:11: error: \"address\" is not an address and port: \"8080\"; write "
     "\"127.0.0.1:8080\" or \"[::1]:8080\""},
    {"address with octal digits", R"([listen]
address = "127.0.0.01:80")",
     "/etc/b/c.toml:5:11: error: \"address\" is not an address and port: \"127.0.0.01:80\"; write "
     "\"127.0.0.1:8080\" or \"[::1]:8080\""},
    {"exposed without TLS", R"([listen]
address = "0.0.0.0:80"
allowed_hosts = ["a.example"])",
     "/etc/b/c.toml:5:11: error: \"address\" is not a loopback address and there is no \"tls\"; "
     "add tls, or plaintext = \"trusted-network\" if others protect the network"},
    {"exposed without hosts", R"([listen]
address = "[::]:80"
plaintext = "trusted-network")",
     "/etc/b/c.toml:5:11: error: \"address\" is not a loopback address and needs "
     "\"allowed_hosts\""},
    {"exposed by a name that begins like loopback", R"([listen]
address = "127.0.0.1.evil.example:80"
allowed_hosts = ["a"])",
     "/etc/b/c.toml:5:11: error: \"address\" is not a loopback address and there is no \"tls\"; "
     "add tls, or plaintext = \"trusted-network\" if others protect the network"},
    {"host with wildcard", R"([listen]
allowed_hosts = ["*.example.com"])",
     "/etc/b/c.toml:5:18: error: \"*.example.com\" is not a host, with or without a port; write "
     "each "
     "host out: there are no wildcards here"},
    {"origin with path", R"([listen]
allowed_origins = ["https://a.example/"])",
     "/etc/b/c.toml:5:20: error: \"https://a.example/\" is not an origin; write \"https://host\" "
     "or "
     "\"https://host:port\" and nothing after it"},
    {"origin null", R"([listen]
allowed_origins = ["null"])",
     "/etc/b/c.toml:5:20: error: \"null\" is not an origin; write \"https://host\" or "
     "\"https://host:port\" and nothing after it"},
    {"endpoint path", R"([listen]
path = "/mcp?x")",
     "/etc/b/c.toml:5:8: error: \"path\" must be a plain absolute path such as \"/mcp\", not "
     "\"/mcp?x\""},
    {"TLS without key", R"([listen]
tls = { cert = "c.pem" })",
     "/etc/b/c.toml:5:1: error: tls needs \"key\""},
    {"TLS key in the environment", R"([listen]
tls = { cert = "c.pem", key = "env:KEY" })",
     "/etc/b/c.toml:5:31: error: \"key\" must be a file; write \"file:PATH\""},
    {"admin without socket", R"([admin])", "/etc/b/c.toml:4:2: error: admin needs \"socket\""},
    {"no authentication without principal", R"([auth]
mode = "none")",
     R"(/etc/b/c.toml:5:8: error: auth mode "none" needs "principal": who everyone is
/etc/b/c.toml:5:8: warning: auth mode "none": every program on this machine may call)"},
    {"no authentication beyond loopback", R"(principal.p = {}
[listen]
address = "10.0.0.1:80"
plaintext = "trusted-network"
allowed_hosts = ["a"]
[auth]
mode = "none"
principal = "p")",
     R"(/etc/b/c.toml:10:8: error: auth mode "none" is possible on a loopback address only
/etc/b/c.toml:10:8: warning: auth mode "none": every program on this machine may call)"},
    {"no authentication, well", R"(principal.p = {}
[auth]
mode = "none"
principal = "p")",
     "/etc/b/c.toml:6:8: warning: auth mode \"none\": every program on this machine may call"},
    {"principal beside keys", R"(principal.p = {}
[auth]
principal = "p")",
     "/etc/b/c.toml:6:13: error: \"principal\" needs auth mode \"none\": here, API keys say who "
     "calls"},
    {"key of nobody", R"([auth.api_key.k]
principal = "an"
sha256 = "abababababababababababababababababababababababababababababababab"
[principal.ann])",
     "/etc/b/c.toml:5:13: error: there is no principal \"an\"; did you mean \"ann\"?"},
    {"digest in upper case", R"(principal.p = {}
[auth.api_key.k]
principal = "p"
sha256 = "ABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABAB")",
     "/etc/b/c.toml:7:10: error: \"sha256\" must be 64 lower-case hexadecimal digits; printf %s "
     "\"$KEY\" | sha256sum"},
    {"key without digest", R"(principal.p = {}
[auth.api_key.k]
principal = "p")",
     "/etc/b/c.toml:5:15: error: an API key needs \"sha256\""},
    {"two keys of one digest", R"(principal.p = {}
[auth.api_key.k]
principal = "p"
sha256 = "abababababababababababababababababababababababababababababababab"
[auth.api_key.l]
principal = "p"
sha256 = "abababababababababababababababababababababababababababababababab")",
     "/etc/b/c.toml:8:15: error: API keys \"k\" and \"l\" have the same \"sha256\""},
    {"principal of the gateway", R"([principal.gateway])",
     "/etc/b/c.toml:4:12: error: \"gateway\" is the principal of the gateway itself"},
    {"unknown role of a principal", R"([principal.p]
roles = ["raeder"])",
     "/etc/b/c.toml:5:10: error: there is no role \"raeder\"; did you mean \"reader\"?"},
    {"name of a principal", R"([principal."a b"])",
     "/etc/b/c.toml:4:12: error: \"a b\" is not a name for a principal: 1 to 64 of A-Z a-z 0-9 . _ "
     "- "
     "are allowed"},
    {"name of a server", R"([server.my_files]
command = ["x"])",
     "/etc/b/c.toml:4:9: error: \"my_files\" is not a name for a server: 1 to 32 of a-z 0-9 - are "
     "allowed"},
    {"longest server name and one", R"([server.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]
command = ["x"])",
     "/etc/b/c.toml:4:9: error: \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\" is not a name for a server: "
     "1 "
     "to 32 of a-z 0-9 - are allowed"},
    {"shown with an underscore behind", R"([server.files]
command = ["x"]
shown = "my_")",
     "/etc/b/c.toml:6:9: error: \"my_\" cannot stand in front of names; write 1 to 32 of a-z 0-9 - "
     "_, a letter or digit at each end, such as \"os_assistant\""},
    {"shown in capitals", R"([server.files]
command = ["x"]
shown = "My")",
     "/etc/b/c.toml:6:9: error: \"My\" cannot stand in front of names; write 1 to 32 of a-z 0-9 - "
     "_, a letter or digit at each end, such as \"os_assistant\""},
    {"shown as another is named", R"([server.files]
command = ["x"]
shown = "mail"
[server.mail]
command = ["x"])",
     "/etc/b/c.toml:4:9: error: \"files\" is shown as \"mail\", which could be taken for \"mail\" "
     "of "
     "\"mail\"; write another \"shown\""},
    {"shown as another is", R"([server.files]
command = ["x"]
shown = "a_b"
[server.mail]
command = ["x"]
shown = "a_b")",
     "/etc/b/c.toml:4:9: error: \"files\" is shown as \"a_b\", which could be taken for \"a_b\" of "
     "\"mail\"; write another \"shown\""},
    {"shown as a tool of another could be", R"([server.files]
command = ["x"]
shown = "mail_box"
[server.mail]
command = ["x"])",
     "/etc/b/c.toml:4:9: error: \"files\" is shown as \"mail_box\", which could be taken for "
     "\"mail\" "
     "of \"mail\"; write another \"shown\""},
    {"shown as the beginning of another", R"([server.files]
command = ["x"]
shown = "a_b"
[server.mail]
command = ["x"]
shown = "a_b_c")",
     "/etc/b/c.toml:4:9: error: \"files\" is shown as \"a_b\", which could be taken for \"a_b_c\" "
     "of "
     "\"mail\"; write another \"shown\""},
    {"shown where nothing is", R"([server.files]
command = ["x"]
prefix = "never"
shown = "my_files")",
     "/etc/b/c.toml:7:9: warning: \"shown\" says nothing beside prefix = \"never\""},
    {"neither command nor URL", R"([server.files])",
     "/etc/b/c.toml:4:9: error: a server needs exactly one of \"command\", \"url\" and "
     "\"agent\""},
    {"command and URL", R"([server.files]
command = ["x"]
url = "http://h/")",
     "/etc/b/c.toml:4:9: error: a server needs exactly one of \"command\", \"url\" and "
     "\"agent\""},
    {"empty command", R"([server.files]
command = [])",
     "/etc/b/c.toml:5:11: error: \"command\" must begin with a program"},
    {"key for a process at a URL", R"([server.files]
url = "http://h/"
cwd = "/")",
     "/etc/b/c.toml:6:7: error: \"cwd\" has no effect on a server with \"url\""},
    {"key for a URL at a process", R"([server.files]
command = ["x"]
tls_ca = "/x")",
     "/etc/b/c.toml:6:10: error: \"tls_ca\" has no effect on a server with \"command\""},
    {"no network behind a URL", R"([server.s]
url = "https://a.example/mcp"
sandbox = { network = "none" })",
     "/etc/b/c.toml:6:11: error: \"sandbox\" has no effect on a server with \"url\""},
    {"files behind a URL", R"([server.s]
url = "https://a.example/mcp"
executables = ["/bin/cat"])",
     "/etc/b/c.toml:6:15: error: \"executables\" has no effect on a server with \"url\""},
    {"half a network", R"([server.s]
command = ["p"]
sandbox = { network = "loopback" })",
     "/etc/b/c.toml:6:23: error: \"network\" must be \"host\" or \"none\", not \"loopback\""},
    {"an element that may change", R"([pins]
mode = "off"
volatile = ["/icons/0"])",
     "/etc/b/c.toml:6:13: error: \"/icons/0\" is not a JSON pointer to a member that a definition "
     "can "
     "be "
     "without; such as \"/_meta/build\"; name, inputSchema, its type and elements of arrays are "
     "always "
     "pinned"},
    {"a name that may change", R"([pins]
mode = "off"
volatile = ["/name"])",
     "/etc/b/c.toml:6:13: error: \"/name\" is not a JSON pointer to a member that a definition can "
     "be "
     "without; such as \"/_meta/build\"; name, inputSchema, its type and elements of arrays are "
     "always "
     "pinned"},
    {"a level without files", R"([server.s]
command = ["p"]
sandbox = { level = "process" })",
     "/etc/b/c.toml:6:21: error: a level needs \"read\": its program's libraries are files, too; "
     "such "
     "as read = [\"/usr\", \"/etc\"]"},
    {"files without a level", R"([server.s]
command = ["p"]
sandbox = { write = ["/srv"] })",
     "/etc/b/c.toml:6:21: error: \"write\" has no effect without a level; level = \"process\" or "
     "level = \"container\""},
    {"a list in a folder that another server may write to", R"([server.s]
command = ["p"]
sandbox = { level = "process", read = ["/usr", "/srv/a/tools"] }
[server.t]
command = ["p"]
sandbox = { level = "process", read = ["/usr"], write = ["/srv/a"] })",
     "/etc/b/c.toml:4:9: error: the sandbox of \"s\" lists \"/srv/a/tools\", and that of \"t\" may "
     "write to \"/srv/a\", where it could be replaced by a link; list folders that do not lie in "
     "one "
     "another"},
    {"one file that is not a list", R"([server.s]
command = ["p"]
executables = "/bin/cat")",
     "/etc/b/c.toml:6:15: error: \"executables\" must be an array, not a string; write "
     "executables = [\"/bin/cat\"]"},
    {"no files", R"([server.s]
command = ["p"]
executables = [])",
     "/etc/b/c.toml:6:15: error: \"executables\" is empty"},
    {"a file twice", R"([server.s]
command = ["p"]
executables = ["/bin/cat", "/bin/cat"])",
     "/etc/b/c.toml:6:28: error: \"executables\" names \"/bin/cat\" twice"},
    {"URL with fragment", R"([server.files]
url = "http://h/#x")",
     "/etc/b/c.toml:5:7: error: \"url\" must be an http://, https://, ws://, wss://, tcp://, "
     "tls:// or unix: URL without fragment"},
    {"URL of another scheme", R"([server.files]
url = "ftp://h/")",
     "/etc/b/c.toml:5:7: error: \"url\" must be an http://, https://, ws://, wss://, tcp://, "
     "tls:// or unix: URL without fragment"},
    {"URL with password", R"([server.files]
url = "http://u:hunter2@h/")",
     "/etc/b/c.toml:5:7: error: \"url\" must not hold a user name or password; write credentials = "
     "{ bearer = \"file:PATH\" }"},
    {"literal secret", R"([server.files]
url = "https://h/"
credentials = { bearer = "hunter2" })",
     "/etc/b/c.toml:6:26: error: \"bearer\" must name a secret, not hold it; write \"env:NAME\" or "
     "\"file:PATH\""},
    {"secret of no name", R"([server.files]
url = "https://h/"
credentials = { bearer = "file:" })",
     "/etc/b/c.toml:6:26: error: \"bearer\" must name a secret, not hold it; write \"env:NAME\" or "
     "\"file:PATH\""},
    {"secret on a plain network", R"([server.files]
url = "http://h/"
credentials = { bearer = "env:T" })",
     "/etc/b/c.toml:6:1: warning: the credentials cross the network unencrypted; use an https:// "
     "URL"},
    {"a name that the gateway writes", R"([server.files]
url = "https://h/"
headers = { Host = "x" })",
     "/etc/b/c.toml:6:20: error: \"Host\" is written by the gateway itself; leave it out"},
    {"the protocol's name", R"([server.files]
url = "https://h/"
headers = { mcp_session-id = "x" })",
     "/etc/b/c.toml:6:30: error: \"mcp_session-id\" is written by the gateway itself; leave it "
     "out"},
    {"a name of one connection", R"([server.files]
url = "https://h/"
headers = { keep_alive = "x" })",
     "/etc/b/c.toml:6:26: error: \"keep_alive\" belongs to one connection, not to a server; leave "
     "it out"},
    {"no name of a header", R"([server.files]
url = "https://h/"
headers = { "X Y" = "x" })",
     "/etc/b/c.toml:6:21: error: \"X Y\" is not a name of a header; leave it out"},
    {"two names that are one", R"([server.files]
url = "https://h/"
headers = { X-A = "1", x_a = "2" })",
     "/etc/b/c.toml:6:30: error: \"X-A\" and \"x_a\" are one header to servers"},
    {"two proofs", R"([server.files]
url = "https://h/"
credentials = { bearer = "env:A" }
headers = { authorization = "env:B" })",
     "/etc/b/c.toml:7:29: error: \"authorization\" is what \"credentials\" are sent as; keep one "
     "of "
     "the two"},
    {"a line's end in a header", R"([server.files]
url = "https://h/"
headers = { X-A = "1\r\nX-B: 2" })",
     "/etc/b/c.toml:6:19: error: the value of \"X-A\" holds a control character, or begins or ends "
     "with a blank"},
    {"headers of a program", R"([server.files]
command = ["x"]
headers = { X-A = "1" })",
     "/etc/b/c.toml:6:11: error: \"headers\" has no effect on a server with \"command\""},
    {"secret headers on a plain network", R"([server.files]
url = "http://h/"
headers = { X-A = "env:T" })",
     "/etc/b/c.toml:6:1: warning: the secrets in \"headers\" cross the network unencrypted; use an "
     "https:// URL"},
    {"a user without a password", R"([server.files]
url = "https://h/"
credentials = { user = "ann" })",
     "/etc/b/c.toml:6:1: error: \"user\" and \"password\" belong together; write both, or bearer = "
     "\"file:PATH\""},
    {"a user with a colon", R"([server.files]
url = "https://h/"
credentials = { user = "a:b", password = "env:T" })",
     "/etc/b/c.toml:6:24: error: \"user\" holds a colon or a control character"},
    {"a token beside a password", R"([server.files]
url = "https://h/"
credentials = { bearer = "env:A", user = "ann", password = "env:T" })",
     "/etc/b/c.toml:6:60: error: \"bearer\" and \"password\" are two proofs, and one is sent; keep "
     "one of the two"},
    {"instances", R"([server.files]
command = ["x"]
instances = "per_user")",
     "/etc/b/c.toml:6:13: error: \"instances\" must be \"per_principal\", \"per_session\" or "
     "\"shared\", not \"per_user\""},
    {"no instances", R"([server.files]
command = ["x"]
instances = 0)",
     "/etc/b/c.toml:6:13: error: \"instances\" must be from 1 to 1024, not 0"},
    {"feature", R"([server.files]
command = ["x"]
client_features = ["sampling", "root"])",
     "/etc/b/c.toml:6:32: error: \"client_features\" can hold \"sampling\", \"elicitation\", "
     "\"roots\", \"logging\", \"instructions\" or \"tasks\", not \"root\"; did you mean "
     "\"roots\"?"},
    {"URLs of nobody", R"([server.files]
command = ["x"]
client_features = ["elicitation"]
elicitation_urls = "login")",
     "/etc/b/c.toml:7:20: error: there is no url \"login\""},
    {"URLs that are never asked for", R"([url.login]
hosts = ["example.com"]
[server.files]
command = ["x"]
elicitation_urls = "login")",
     "/etc/b/c.toml:8:20: error: \"elicitation_urls\" needs \"elicitation\" in "
     "\"client_features\""},
    {"variable", R"([server.files]
command = ["x"]
env_allow = ["A=B"])",
     "/etc/b/c.toml:6:14: error: \"A=B\" is not a name of a variable"},
    {"secret variable that holds its value", R"([server.files]
command = ["x"]
env_secret = { T = "hunter2" })",
     "/etc/b/c.toml:6:20: error: \"T\" must name a secret, not hold it; write \"env:NAME\" or "
     "\"file:PATH\""},
    {"variable that is plain and secret", R"([server.files]
command = ["x"]
env = { T = "a" }
env_secret = { T = "env:T" })",
     "/etc/b/c.toml:7:20: error: \"T\" stands in \"env\" too"},
    {"local user who is nobody", R"([principal.ann]
[auth.stdio]
principal = "bob")",
     "/etc/b/c.toml:6:13: error: there is no principal \"bob\"; write [principal.bob] with roles = "
     "[\"ROLE\"]"},
    {"local user without a name", R"([auth.stdio])",
     "/etc/b/c.toml:4:7: error: auth.stdio needs \"principal\": who the local user is"},
};

TEST(LoadErrors, SayWhatIsWrongAndWhereAndWhatToWrite) {
  expect_problems(kRows);
}

TEST(LoadErrors, OfSyntaxKeepToOneLineAndLeaveTheTextOut) {
  struct Row {
    std::string_view text;
    std::string_view message;
  };
  const Row rows[] = {
      {"k = 99999999999999999999999",
       "Error while parsing decimal integer: the value is not representable in 64 bits"},
      {"k = 1e99999",
       "Error while parsing floating-point: the value could not be interpreted as a value"},
      {"k = 0xhunter", "Error while parsing hexadecimal integer: expected digit"},
      {"x = n\n",
       "Error while parsing floating-point: expected 'nan'; a text stands in quotes: key = "
       "\"value\""},
      {"x = [analyst]\n",
       "Error while parsing value: could not determine value type; a text stands in quotes: key = "
       "\"value\""},
      {"x = verified\n",
       "Error while parsing value: could not determine value type; a text stands in quotes: key = "
       "\"value\""},
      {"x = %\n", "Error while parsing value: could not determine value type"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.text);
    const LoadedConfig loaded = load_config_text(row.text, "c.toml");
    ASSERT_EQ(loaded.problems.size(), 1U);
    EXPECT_EQ(loaded.problems[0].message, row.message);
  }
}

TEST(LoadErrors, AreAllSaidAtOnceInTheOrderOfTheFile) {
  const LoadedConfig loaded = load_config_text(
      "version = 2\n[log]\nlevel = 1\n[session]\nidle = \"x\"\n[rule.r]\nroles = [\"a\"]\n",
      "c.toml");
  std::vector<std::string> places;
  places.reserve(loaded.problems.size());
  for (const ConfigProblem& problem : loaded.problems)
    places.push_back(problem.where);
  const std::vector<std::string> expected{"c.toml:1:1", "c.toml:1:11", "c.toml:3:9", "c.toml:5:8",
                                          "c.toml:6:7", "c.toml:6:7",  "c.toml:7:10"};
  EXPECT_EQ(places, expected);
}

TEST(LoadErrors, AreBoundedAndKeepTheErrorBehindManyWarnings) {
  std::string text(kHead);
  text += "[tool.\"*/*\"]\npermissions = [";
  for (int i = 0; i < 900; ++i)
    text += "\"p" + std::to_string(i) + "\", ";
  text += "]\n[zzz]\n";
  const LoadedConfig loaded = load_config_text(text, "c.toml");
  EXPECT_EQ(loaded.problems.size(), 201U);
  EXPECT_FALSE(loaded.usable());
}

TEST(LoadErrors, NeverHoldASecret) {
  const std::string_view texts[] = {
      "[server.s]\nurl = \"https://h/\"\ncredentials = { bearer = \"hunter2\" }",
      "[server.s]\nurl = \"https://h/\"\ncredentials = { bearer = \"hunter2 }",
      "[server.s]\nurl = \"https://h/\"\ncredentials = { bearer = [\"hunter2\"] }",
      "[server.s]\nurl = \"https://h/\"\ncredentials = \"hunter2\"",
      "[server.s]\nurl = \"https://h/\"\ncredentials = { user = \"u\", password = \"hunter2\" }",
      "[server.s]\nurl = \"https://h/\"\nheaders = { Host = \"hunter2\" }",
      "[server.s]\nurl = \"https://h/\"\nheaders = { X-A = \"hunter2\\n\" }",
      "[server.s]\nurl = \"https://h/\"\nheaders = { X-A = [\"hunter2\"] }",
      "[server.s]\nurl = \"https://me:hunter2@h/\"",
      "[server.s]\nurl = \"https://h/?key=hunter2#\"",
      "[server.s]\nurl = \"https://h/\"\ncredentials = { bearer = hunter2 }",
      "[server.s]\nurl = \"https://h/\"\ncredentials = { bearer = \"x\" hunter2 }",
      "[server.s]\ncommand = [\"x\", \"--key=hunter2\", 1]",
      "[server.s]\ncommand = [\"x\"]\nenv = { KEY = \"hunter2\\u0000\" }",
      "[audit]\ndigest_key = \"hunter2\"",
      "[listen]\ntls = { cert = \"c\", key = \"hunter2\" }",
      "[auth.api_key.k]\nprincipal = \"p\"\nsha256 = \"hunter2\"",
  };
  for (const std::string_view body : texts) {
    SCOPED_TRACE(body);
    const LoadedConfig loaded = load_config_text("version = 1\n" + std::string(body), "c.toml");
    EXPECT_FALSE(loaded.usable());
    EXPECT_FALSE(all_text(loaded.problems).contains("hunter")) << all_text(loaded.problems);
    const auto second = check_text_against_schema("version = 1\n" + std::string(body), "c.toml");
    EXPECT_FALSE(all_text(second).contains("hunter")) << all_text(second);
  }
}

}  // namespace
}  // namespace bartizan
