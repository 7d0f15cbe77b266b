#include "tests/config/load_errors.h"

namespace bartizan {
namespace {

const Wrong kRows[] = {
    {"path without root", R"([path.p])",
     "/etc/b/c.toml:4:7: error: a path needs exactly one of \"root\" and \"like\""},
    {"path with both", R"([path.q]
root = "/q"
[path.p]
root = "/p"
like = "q")",
     "/etc/b/c.toml:6:7: error: a path needs exactly one of \"root\" and \"like\""},
    {"path like itself", R"([path.p]
like = "p")",
     "/etc/b/c.toml:5:8: error: \"like\" leads to no path with a \"root\""},
    {"path like nothing", R"([path.docs]
root = "/d"
[path.p]
like = "dosc")",
     "/etc/b/c.toml:7:8: error: there is no path \"dosc\"; did you mean \"docs\"?"},
    {"path like one that is like the first", R"([path.p]
like = "q"
[path.q]
like = "p")",
     "/etc/b/c.toml:5:8: error: \"like\" leads to no path with a \"root\"\n"
     "/etc/b/c.toml:7:8: error: \"like\" leads to no path with a \"root\""},
    {"extension without a dot", R"([path.p]
root = "/p"
extensions = ["md"])",
     "/etc/b/c.toml:6:15: error: \"md\" is not an extension; write it with its dot, such as "
     "\".md\""},
    {"extension with a slash", R"([path.p]
root = "/p"
extensions = [".a/.b"])",
     "/etc/b/c.toml:6:15: error: \".a/.b\" is not an extension; write it with its dot, such as "
     "\".md\""},
    {"no extensions", R"([path.p]
root = "/p"
extensions = [])",
     "/etc/b/c.toml:6:14: error: \"extensions\" is empty; leave it out for any"},
    {"extensions of a directory", R"([path.p]
root = "/p"
kind = "directory"
extensions = [".md"])",
     "/etc/b/c.toml:7:14: warning: \"extensions\" says nothing of a \"directory\""},
    {"kind", R"([path.p]
root = "/p"
kind = "folder")",
     "/etc/b/c.toml:6:8: error: \"kind\" must be \"any\", \"directory\" or \"file\", not "
     "\"folder\""},
    {"nothing allowed", R"([path.p]
root = "/p"
allow = [])",
     "/etc/b/c.toml:6:9: error: \"allow\" is empty; leave it out for everything"},
    {"an absolute pattern", R"([path.p]
root = "/p"
deny = ["/p/a"])",
     "/etc/b/c.toml:6:9: error: \"/p/a\" is not a path below the root; write \"folder/name\", "
     "without "
     "a "
     "slash in front or behind, . and .."},
    {"a pattern that climbs", R"([path.p]
root = "/p"
allow = ["a/../b"])",
     "/etc/b/c.toml:6:10: error: \"a/../b\" is not a path below the root; write \"folder/name\", "
     "without a slash in front or behind, . and .."},
    {"stars in front", R"([path.p]
root = "/p"
deny = ["**/a"])",
     "/etc/b/c.toml:6:9: error: \"**/a\" has ** elsewhere than as its whole last segment; * stands "
     "for any text in one segment, ** for all that remains, nothing else is special"},
    {"a name with a slash", R"([path.p]
root = "/p"
deny_names = ["a/b"])",
     "/etc/b/c.toml:6:15: error: \"a/b\" is not a pattern of one name; * stands for any text in "
     "it; "
     "write paths into \"deny\""},
    {"an unknown word in braces", R"([path.p]
root = "/p"
writable = ["a{day}"])",
     "/etc/b/c.toml:6:13: error: \"a{day}\" has braces around something else than {date}, "
     "{YYYY-MM-DD}, {YYYYMMDD} or {nn}; {YYYY-MM-DD} stands for 2027-03-31, {YYYYMMDD} for "
     "20270331, {date} for both, {nn} for two digits"},
    {"a resolution of none", R"([path.p]
root = "/p"
resolve = "disk")",
     "/etc/b/c.toml:6:11: error: \"resolve\" must be \"filesystem\" or \"lexical\", not \"disk\""},
    {"a content of none", R"([path.p]
root = "/p"
resolve = "filesystem"
content = "utf-8")",
     "/etc/b/c.toml:7:11: error: \"content\" must be \"any\" or \"text\", not \"utf-8\""},
    {"a content that nobody looks at", R"([path.p]
root = "/p"
content = "text")",
     "/etc/b/c.toml:6:11: error: \"content\" needs resolve = \"filesystem\"; write resolve = "
     "\"filesystem\" beside it, or content = \"any\""},
    {"an inherited content that nobody looks at", R"([path.p]
root = "/p"
resolve = "filesystem"
content = "text"
[path.q]
like = "p"
resolve = "lexical")",
     "/etc/b/c.toml:8:7: error: \"content\" needs resolve = \"filesystem\"; write resolve = "
     "\"filesystem\" beside it, or content = \"any\""},
    {"the content of a directory", R"([path.p]
root = "/p"
kind = "directory"
resolve = "filesystem"
content = "text")",
     "/etc/b/c.toml:8:11: warning: \"content\" says nothing of a \"directory\""},
    {"predicate without one", R"([server.files]
command = ["x"]
[tool."files/*".arguments]
"/path" = { optional = true })",
     "/etc/b/c.toml:7:1: error: an argument needs a predicate: \"absent\", \"command\", "
     "\"digest\", \"fixed\", "
     "\"number\", \"one_of\", \"path\", \"sql\", \"text\" or \"url\"; write { path = \"NAME\" }, "
     "the name of a [path.NAME], or { "
     "text "
     "= { max_length = 256 } }"},
    {"predicate not built", R"(path.d.root = "/d"
[server.files]
command = ["x"]
[tool."files/*".arguments]
"/path" = { path = "d", schema = {} })",
     "/etc/b/c.toml:8:25: error: \"schema\" is known but not built in this version"},
    {"fixed elements", R"([server.files]
command = ["x"]
[tool."files/*".arguments]
"/a/*/b" = { fixed = 1 })",
     "/etc/b/c.toml:7:1: error: \"fixed\" forces one member, not the elements of an array; write "
     "one_of for what each element may be"},
    {"fixed too deep", R"([server.files]
command = ["x"]
[tool."files/*".arguments]
"/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a" = { fixed = 1 })",
     "/etc/b/c.toml:7:1: error: \"fixed\" stands at most 16 names deep"},
    {"unknown path", R"([server.files]
command = ["x"]
[tool."files/*".arguments]
"/path" = { path = "docs" })",
     "/etc/b/c.toml:7:20: error: there is no path \"docs\"; write [path.docs] with root = "
     "\"/FOLDER\""},
    {"no pointer", R"(path.d.root = "/d"
[server.files]
command = ["x"]
[tool."files/*".arguments]
path = { path = "d" })",
     "/etc/b/c.toml:8:1: error: \"path\" is not a JSON pointer into the arguments; write "
     "\"/path\", "
     "or \"/NAME/*\" for the elements of an array"},
    {"tilde in a pointer", R"(path.d.root = "/d"
[server.files]
command = ["x"]
[tool."files/*".arguments]
"/a~2" = { path = "d" })",
     "/etc/b/c.toml:8:1: error: \"/a~2\" is not a JSON pointer into the arguments; in a name, "
     "write "
     "\"~\" as \"~0\" and \"/\" as \"~1\" (RFC 6901)"},
    {"profile without slash", R"([tool.files])",
     "/etc/b/c.toml:4:7: error: \"files\" must have exactly one slash; write \"server/tool\", such "
     "as \"files/*\""},
    {"profile of an unknown server", R"([server.files]
command = ["x"]
[tool."file/*"])",
     "/etc/b/c.toml:6:7: error: there is no server \"file\"; did you mean \"files\"?"},
    {"rule of a server that was removed", R"([server.files]
command = ["x"]
[rule.r]
effect = "forbid"
roles = ["*"]
tools = ["memory/*"])",
     "/etc/b/c.toml:9:10: error: there is no server \"memory\"; write [server.memory], or remove "
     "what is said about it"},
    {"permission that nobody has", R"([server.files]
command = ["x"]
[tool."files/*"]
permissions = ["read:x"])",
     "/etc/b/c.toml:7:16: warning: no role has the permission \"read:x\""},
    {"a category that is not a name", R"([server.files]
command = ["x"]
[tool."files/*"]
categories = ["read it"])",
     "/etc/b/c.toml:7:15: error: \"read it\" is not a name for a category: 1 to 64 of A-Z a-z "
     "0-9 . _ - are allowed"},
    {"risk", R"([server.files]
command = ["x"]
[tool."files/*"]
risk = "severe")",
     "/etc/b/c.toml:7:8: error: \"risk\" must be \"low\", \"medium\", \"high\" or "
     "\"critical\", not \"severe\""},
    {"more than is ever read", R"([server.files]
command = ["x"]
[tool."files/*"]
max_result = "33 MiB")",
     "/etc/b/c.toml:7:14: error: \"max_result\" must be from 1 B to 32 MiB"},
    {"no entries", R"([server.files]
command = ["x"]
[tool."files/*"]
max_entries = 0)",
     "/etc/b/c.toml:7:15: error: \"max_entries\" must be from 1 to 2000000, not 0"},
    {"entries of what", R"([server.files]
command = ["x"]
[tool."files/*"]
entries = "lines")",
     "/etc/b/c.toml:7:11: error: \"entries\" says how \"max_entries\" is counted, which is not "
     "there"},
    {"effect", R"([server.files]
command = ["x"]
[rule.r]
effect = "allow"
roles = ["*"]
tools = ["files/*"])",
     "/etc/b/c.toml:7:10: error: \"effect\" must be \"permit\", \"forbid\" or "
     "\"require_approval\", not \"allow\""},
    {"no effect", R"([server.files]
command = ["x"]
[rule.r]
roles = ["*"]
tools = ["files/*"])",
     "/etc/b/c.toml:6:7: error: a rule needs \"effect\""},
    {"no subject", R"([server.files]
command = ["x"]
[rule.r]
effect = "forbid"
tools = ["files/*"])",
     "/etc/b/c.toml:6:7: error: a rule needs exactly one of \"roles\" and \"principals\"; roles = "
     "[\"*\"] is everyone"},
    {"two subjects", R"(principal.p = {}
[server.files]
command = ["x"]
[rule.r]
effect = "forbid"
roles = ["*"]
principals = ["p"]
tools = ["files/*"])",
     "/etc/b/c.toml:7:7: error: a rule needs exactly one of \"roles\" and \"principals\"; roles = "
     "[\"*\"] is everyone"},
    {"empty subject", R"([server.files]
command = ["x"]
[rule.r]
effect = "forbid"
roles = []
tools = ["files/*"])",
     "/etc/b/c.toml:8:9: error: \"roles\" is empty; write [\"*\"] for everyone"},
    {"everyone and one", R"([server.files]
command = ["x"]
[rule.r]
effect = "forbid"
roles = ["reader", "*"]
tools = ["files/*"])",
     "/etc/b/c.toml:8:20: error: \"*\" is everyone and stands alone"},
    {"unknown role", R"([server.files]
command = ["x"]
[rule.r]
effect = "forbid"
roles = ["readers"]
tools = ["files/*"])",
     "/etc/b/c.toml:8:10: error: there is no role \"readers\"; did you mean \"reader\"?"},
    {"unknown principal", R"([server.files]
command = ["x"]
[rule.r]
effect = "forbid"
principals = ["p"]
tools = ["files/*"])",
     "/etc/b/c.toml:8:15: error: there is no principal \"p\"; write [principal.p] with roles = "
     "[\"ROLE\"]"},
    {"no selector", R"([server.files]
command = ["x"]
[rule.r]
effect = "forbid"
roles = ["*"]
)",
     "/etc/b/c.toml:6:7: error: a rule needs exactly one of \"tools\", \"resources\", \"prompts\" "
     "and \"methods\", not none"},
    {"two selectors", R"([server.files]
command = ["x"]
[rule.r]
effect = "forbid"
roles = ["*"]
tools = ["files/*"]
prompts = ["files/*"])",
     "/etc/b/c.toml:6:7: error: a rule needs exactly one of \"tools\", \"resources\", \"prompts\" "
     "and \"methods\", not several"},
    {"empty selector", R"([server.files]
command = ["x"]
[rule.r]
effect = "forbid"
roles = ["*"]
tools = [])",
     "/etc/b/c.toml:9:9: error: \"tools\" is empty"},
    {"unknown server", R"([server.files]
command = ["x"]
[rule.r]
effect = "forbid"
roles = ["*"]
tools = ["file/*"])",
     "/etc/b/c.toml:9:10: error: there is no server \"file\"; did you mean \"files\"?"},
    {"tool without slash", R"([server.files]
command = ["x"]
[rule.r]
effect = "forbid"
roles = ["*"]
tools = ["files"])",
     "/etc/b/c.toml:9:10: error: \"files\" must have exactly one slash; write \"server/tool\", "
     "such as \"files/*\""},
    {"tool with two slashes", R"([server.files]
command = ["x"]
[rule.r]
effect = "forbid"
roles = ["*"]
tools = ["files/a/b"])",
     "/etc/b/c.toml:9:10: error: \"files/a/b\" must have exactly one slash; write \"server/tool\", "
     "such as \"files/*\""},
    {"stars inside a segment", R"([server.files]
command = ["x"]
[rule.r]
effect = "forbid"
roles = ["*"]
tools = ["files/a**"])",
     "/etc/b/c.toml:9:10: error: \"files/a**\" has ** elsewhere than as its whole last segment; * "
     "stands for any text in one segment, ** for all that remains, nothing else is special"},
    {"stars in front", R"([server.files]
command = ["x"]
[rule.r]
effect = "forbid"
roles = ["*"]
tools = ["**/a"])",
     "/etc/b/c.toml:9:10: error: \"**/a\" has ** elsewhere than as its whole last segment; * "
     "stands for any text in one segment, ** for all that remains, nothing else is special"},
    {"another wildcard", R"([server.files]
command = ["x"]
[rule.r]
effect = "forbid"
roles = ["*"]
tools = ["files/a?"])",
     "/etc/b/c.toml:9:10: error: \"files/a?\" holds a character that is not part of a name; * "
     "stands for any text in one segment, ** for all that remains, nothing else is special"},
    {"URI with stars inside", R"([server.files]
command = ["x"]
[rule.r]
effect = "forbid"
roles = ["*"]
resources = ["files:file:///**/a"])",
     "/etc/b/c.toml:9:14: error: \"files:file:///**/a\" has ** elsewhere than as its whole last "
     "segment; * stands for any text in one segment, ** for all that remains, nothing else is "
     "special"},
    {"resource without URI", R"([server.files]
command = ["x"]
[rule.r]
effect = "forbid"
roles = ["*"]
resources = ["files:"])",
     "/etc/b/c.toml:9:14: error: \"files:\" must be a server, a colon and a URI; write "
     "\"server:URI\", such as \"files:file:///srv/**\""},
    {"resource with a slash", R"([server.files]
command = ["x"]
[rule.r]
effect = "forbid"
roles = ["*"]
resources = ["files/file:///srv/**"])",
     "/etc/b/c.toml:9:14: error: \"files/file:///srv/**\" must be a server, a colon and a URI; "
     "write \"server:URI\", such as \"files:file:///srv/**\""},
    {"resource of an unknown server", R"([server.files]
command = ["x"]
[rule.r]
effect = "forbid"
roles = ["*"]
resources = ["file:///srv/**"])",
     "/etc/b/c.toml:9:14: error: there is no server \"file\"; did you mean \"files\"?"},
    {"unknown method", R"([server.files]
command = ["x"]
[rule.r]
effect = "forbid"
roles = ["*"]
methods = ["tools/cal"])",
     "/etc/b/c.toml:9:12: error: \"tools/cal\" is not an MCP method; methods are written out, such "
     "as "
     "\"logging/setLevel\", or \"*\" for all"},
    {"observed permit", R"([server.files]
command = ["x"]
[rule.r]
effect = "permit"
mode = "observe"
roles = ["*"]
tools = ["files/*"])",
     "/etc/b/c.toml:8:8: error: a permit cannot be observed: it refuses nothing"},
    {"hidden permit", R"([server.files]
command = ["x"]
[rule.r]
effect = "permit"
hide = true
roles = ["*"]
tools = ["files/*"])",
     "/etc/b/c.toml:8:8: error: \"hide\" has no effect on a permit"},
    {"hidden and explained", R"([server.files]
command = ["x"]
[rule.r]
effect = "forbid"
roles = ["*"]
tools = ["files/*"]
hide = true
remediation = "ask")",
     "/etc/b/c.toml:10:8: error: \"hide\" answers as if the tool did not exist: \"answer\" and "
     "\"remediation\" would give it away"},
    {"approvers", R"([server.files]
command = ["x"]
[rule.r]
effect = "require_approval"
roles = ["*"]
tools = ["files/*"]
approvers = ["m"])",
     "/etc/b/c.toml:10:14: error: there is no role \"m\"; write [role.m], which may be empty"},
    {"an approval for weeks", R"([server.files]
command = ["x"]
[rule.r]
effect = "require_approval"
roles = ["*"]
tools = ["files/*"]
valid_for = "8d")",
     "/etc/b/c.toml:10:13: error: \"valid_for\" must be from 1s to 7d"},
    {"an approval of a permit", R"([server.files]
command = ["x"]
[rule.r]
effect = "permit"
roles = ["*"]
tools = ["files/*"]
self_approval = true)",
     "/etc/b/c.toml:10:17: error: \"self_approval\" is for rules with effect = "
     "\"require_approval\""},
    {"limit without key", R"([limit.l]
rate = ["1/s"])",
     "/etc/b/c.toml:4:8: error: a limit needs \"per\"; per = [] is one bucket for all"},
    {"limit without limit", R"([limit.l]
per = []
)",
     "/etc/b/c.toml:4:8: error: a limit needs \"rate\", \"budget\", \"bytes\", \"concurrency\" or "
     "\"loop\""},
    {"limit key", R"([limit.l]
per = ["user"]
rate = ["1/s"])",
     "/etc/b/c.toml:5:8: error: \"per\" can hold \"principal\", \"server\", \"tool\", \"method\", "
     "\"session\", \"address\", \"arguments\" or \"attributes.NAME\", not \"user\""},
    {"attribute without a name", R"([limit.l]
per = ["attributes."]
rate = ["1/s"])",
     "/etc/b/c.toml:5:8: error: \"per\" can hold \"principal\", \"server\", \"tool\", \"method\", "
     "\"session\", \"address\", \"arguments\" or \"attributes.NAME\", not \"attributes.\""},
    {"attribute that nobody has", R"([limit.l]
per = ["attributes.tame"]
rate = ["1/s"])",
     "/etc/b/c.toml:5:8: warning: no principal has the attribute \"tame\"; all callers without it "
     "share one bucket"},
    {"budget", R"([limit.l]
per = []
budget = ["10"])",
     "/etc/b/c.toml:6:11: error: \"10\" is not a budget; write a cost and a window, such as "
     "\"1000/h\", \"5000/d\""},
    {"bytes", R"([limit.l]
per = []
bytes = ["10 MB/h"])",
     "/etc/b/c.toml:6:10: error: \"10 MB/h\" is not an amount of bytes in a window; write a size "
     "of 64 "
     "GiB at most and a window, such as \"10 MiB/min\", \"1 GiB/d\""},
    {"loop of one round", R"([limit.l]
per = []
loop = { repeats = 1 })",
     "/etc/b/c.toml:6:20: error: \"repeats\" must be from 2 to 16, not 1"},
    {"loop beyond memory", R"([limit.l]
per = []
loop = { calls = 8, repeats = 9 })",
     "/etc/b/c.toml:6:8: error: \"loop\" remembers more than 64 calls; \"calls\" times \"repeats\" "
     "is at most that"},
    {"queue without slots", R"([limit.l]
per = []
rate = ["1/s"]
queue = 4)",
     "/etc/b/c.toml:7:9: error: \"queue\" needs \"concurrency\""},
    {"time of no queue", R"([limit.l]
per = []
concurrency = 1
queue_timeout = "1s")",
     "/etc/b/c.toml:7:17: error: \"queue_timeout\" needs \"queue\""},
    {"breaker without failures", R"([server.s]
command = ["x"]
breaker = { failures = 0 })",
     "/etc/b/c.toml:6:24: error: \"failures\" must be from 1 to 100, not 0"},
    {"label", R"([server.s]
command = ["x"]
[tool."s/*"]
labels = ["public"])",
     "/etc/b/c.toml:7:11: error: \"labels\" can hold \"untrusted\", \"private\", \"public_sink\" "
     "or "
     "\"destructive\", not \"public\""},
    {"flow without an end", R"([flow.f]
after = ["untrusted"])",
     "/etc/b/c.toml:4:7: error: a flow needs \"to\""},
    {"flow after nothing", R"([flow.f]
after = []
to = ["public_sink"])",
     "/etc/b/c.toml:5:9: error: \"after\" is empty"},
    {"flow after what is done", R"([flow.f]
after = ["destructive"]
to = ["public_sink"])",
     "/etc/b/c.toml:5:10: error: \"after\" can hold \"untrusted\" or \"private\", not "
     "\"destructive\""},
    {"flow that permits", R"([server.s]
command = ["x"]
[tool."s/*"]
labels = ["private", "public_sink"]
[flow.f]
after = ["private"]
to = ["public_sink"]
effect = "permit")",
     "/etc/b/c.toml:11:10: error: \"effect\" must be \"forbid\" or \"require_approval\", not "
     "\"permit\""},
    {"flow of labels that nobody bears", R"([server.s]
command = ["x"]
[tool."s/*"]
labels = ["untrusted", "public_sink"]
[flow.f]
after = ["untrusted", "private"]
to = ["public_sink", "destructive"])",
     "/etc/b/c.toml:8:7: warning: the flow \"f\" refuses nothing: no [tool.…] or [server.…] has "
     "the label "
     "\"private\""},
    {"detector of nothing", "[detector.a]",
     "/etc/b/c.toml:4:11: error: \"a\" needs \"pattern\", \"words\" or \"gitleaks\", "
     "and only one of them; write a [detector.NAME] for each"},
    {"detector of both", R"([detector.a]
pattern = "ACME-[0-9]+"
words = ["falcon"])",
     "/etc/b/c.toml:4:11: error: \"a\" needs \"pattern\", \"words\" or \"gitleaks\", "
     "and only one of them; write a [detector.NAME] for each"},
    {"detector that is not a pattern", R"([detector.a]
pattern = "ACME-(?=x)y")",
     "/etc/b/c.toml:5:11: error: \"pattern\" is not a pattern that RE2 can use: \"invalid perl "
     "operator: (?=\"; RE2 has no look-ahead and no look-behind: write what may stand there"},
    {"detector without a literal", R"([detector.a]
pattern = "falcon|[0-9]{6}")",
     "/etc/b/c.toml:5:11: error: \"pattern\" may match without any literal of at least 4 ASCII "
     "letters, digits or marks; write what each of its alternatives has in any case, such as "
     "\"ACME-[0-9]{6}\": texts are searched for that first"},
    {"detector of a short literal", R"([detector.a]
pattern = "AC-[0-9]{6}")",
     "/etc/b/c.toml:5:11: error: \"pattern\" may match without any literal of at least 4 ASCII "
     "letters, digits or marks; write what each of its alternatives has in any case, such as "
     "\"ACME-[0-9]{6}\": texts are searched for that first"},
    {"detector of whole texts", R"([detector.a]
pattern = "^ACME-[0-9]{6}$")",
     "/etc/b/c.toml:5:11: error: \"pattern\" asks where a text begins or ends; a detector looks "
     "anywhere: leave ^ and $ out, and write \\b for the edge of a word"},
    {"detector of a short word", R"([detector.a]
words = ["falcon", "owl"])",
     "/etc/b/c.toml:5:20: error: \"owl\" is shorter than 4 bytes; shorter ones stand in too many "
     "texts: write it with the text around it"},
    {"detector of no words", R"([detector.a]
words = [])",
     "/etc/b/c.toml:5:9: error: \"words\" is empty"},
    {"detector of a word with a tab", R"([detector.a]
words = ["falcon\tnest"])",
     "/etc/b/c.toml:5:10: error: \"falcon?nest\" has control characters in it"},
    {"detector without a name", R"([detector."a b"]
words = ["falcon"])",
     "/etc/b/c.toml:4:11: error: \"a b\" is not a name for a detector: 1 to 64 of A-Z a-z 0-9 . _ "
     "- "
     "are allowed"},
    {"detector of something else", R"([detector.a]
words = ["falcon"]
word = "heron")",
     "/etc/b/c.toml:6:1: error: unknown key \"word\" in detector.a; did you mean \"words\"?"},
    {"detector of numbers", R"([detector.a]
words = [7])",
     "/etc/b/c.toml:5:10: error: \"words\" must hold strings, not an integer"},
    {"redaction of nothing", R"([redact.a]
action = "mask")",
     "/etc/b/c.toml:4:9: error: \"a\" needs \"detectors\"; detectors = [\"secrets\"] is all that "
     "find secrets"},
    {"redaction with no detector", R"([redact.a]
detectors = [])",
     "/etc/b/c.toml:5:13: error: \"detectors\" is empty"},
    {"redaction somewhere else", R"([redact.a]
detectors = ["secrets"]
in = ["answers"])",
     "/etc/b/c.toml:6:7: error: \"in\" can hold \"results\", \"errors\", \"notifications\", "
     "\"requests\", \"definitions\", \"records\" or \"arguments\", not \"answers\""},
    {"tokens of nobody's", R"([redact.a]
detectors = ["secrets"]
in = ["arguments"]
action = "tokenise")",
     "/etc/b/c.toml:7:10: error: \"tokenise\" cannot be used with \"arguments\"; write a separate "
     "redaction with in = [\"arguments\"], and \"mask\" or \"withhold\""},
    {"redaction for a stranger", R"([redact.a]
detectors = ["secrets"]
principals = ["nobody"])",
     "/etc/b/c.toml:6:15: error: there is no principal \"nobody\"; write "
     "[principal.nobody] with roles = [\"ROLE\"]"},
    {"redaction in no place", R"([redact.a]
detectors = ["secrets"]
pointers = ["text"])",
     "/etc/b/c.toml:6:13: error: \"text\" is not a JSON pointer; write one such as "
     "\"/structuredContent/url\" or \"/content/*/text\""},
    {"redaction by another action", R"([redact.a]
detectors = ["secrets"]
action = "erase")",
     "/etc/b/c.toml:6:10: error: \"action\" must be \"observe\", \"tokenise\", \"hash\", "
     "\"mask\", \"drop\" or \"withhold\", not \"erase\""},
    {"redaction for nobody", R"([redact.a]
detectors = ["secrets"]
roles = ["nobody"])",
     "/etc/b/c.toml:6:10: error: there is no role \"nobody\"; write [role.nobody], which may be "
     "empty"},
    {"exception without an end", R"([redact.a]
detectors = ["secrets"]
[redact.a.keep.b]
detectors = ["url.presigned"]
because = "b")",
     "/etc/b/c.toml:6:16: error: \"b\" needs \"expires\"; an exception ends: write the day, such "
     "as "
     "expires = 2027-03-31"},
    {"exception without a reason", R"([redact.a]
detectors = ["secrets"]
[redact.a.keep.b]
detectors = ["url.presigned"]
expires = 2030-01-01)",
     "/etc/b/c.toml:6:16: error: \"b\" needs \"because\"; say for whom it is and why"},
    {"exception somewhere else", R"([redact.a]
detectors = ["secrets"]
[redact.a.keep.b]
detectors = ["url.presigned"]
expires = 2030-01-01
because = "b"
pointers = ["url"])",
     "/etc/b/c.toml:10:13: error: \"url\" is not a JSON pointer; write one such as "
     "\"/structuredContent/url\" or \"/content/*/text\""},
    {"sanitising nowhere", R"([sanitise.a]
in = [])",
     "/etc/b/c.toml:5:6: error: \"in\" is empty"},
    {"sanitising arguments", R"([sanitise.a]
in = ["arguments"])",
     "/etc/b/c.toml:5:7: error: \"in\" can hold \"results\", \"errors\", \"notifications\", "
     "\"requests\", \"definitions\" or \"records\", not \"arguments\""},
    {"hidden text by another action", R"([sanitise.a]
hidden = "erase")",
     "/etc/b/c.toml:5:10: error: \"hidden\" must be \"keep\", \"show\", \"remove\" or "
     "\"refuse\", not \"erase\""},
    {"markup by another action", R"([sanitise.a]
markup = "erase")",
     "/etc/b/c.toml:5:10: error: \"markup\" must be \"keep\", \"defuse\" or \"refuse\", not "
     "\"erase\""},
    {"a screen by another action", R"([sanitise.a]
injection = "refuse")",
     "/etc/b/c.toml:5:13: error: \"injection\" must be \"observe\", \"mark\" or \"withhold\", "
     "not \"refuse\""},
    {"sanitising for no hosts", R"([sanitise.a]
hosts = [])",
     "/etc/b/c.toml:5:9: error: \"hosts\" is empty"},
    {"apps that reach what is not an origin", R"([sanitise.a]
ui_origins = ["https://a.example", "http://b.example"])",
     "/etc/b/c.toml:5:36: error: \"http://b.example\" is not an origin that an app may name; write "
     "https:// or wss://, a name in lower case, which may begin with \"*.\", and a port where it "
     "is "
     "another, such as \"https://api.example.com\""},
    {"apps that reach nothing", R"([sanitise.a]
ui_origins = [])",
     "/etc/b/c.toml:5:14: error: \"ui_origins\" is empty"},
    {"sanitising for no tools", R"([sanitise.a]
tools = [])",
     "/etc/b/c.toml:5:9: error: \"tools\" is empty"},
    {"sanitising for nobody", R"([sanitise.a]
roles = ["nobody"])",
     "/etc/b/c.toml:5:10: error: there is no role \"nobody\"; write [role.nobody], which may be "
     "empty"},
    {"sanitising by an unknown key", R"([sanitise.a]
marcup = "defuse")",
     "/etc/b/c.toml:5:1: error: unknown key \"marcup\" in sanitise.a; did you mean \"markup\"?"},
    {"sanitising of no server's tools", R"([server.files]
command = ["x"]
[sanitise.a]
tools = ["file/*"])",
     "/etc/b/c.toml:7:10: error: there is no server \"file\"; did you mean \"files\"?"},
    {"sanitising without a name", R"([sanitise."a b"]
hidden = "show")",
     "/etc/b/c.toml:4:11: error: \"a b\" is not a name for a sanitising: 1 to 64 of A-Z a-z 0-9 . "
     "_ - "
     "are allowed"},
    {"cost below nothing", R"([server.s]
command = ["x"]
[tool."s/*"]
cost = -1)",
     "/etc/b/c.toml:7:8: error: \"cost\" must be from 0 to 1000000, not -1"},
    {"rate", R"([limit.l]
per = []
rate = ["10/day"])",
     "/etc/b/c.toml:6:9: error: \"10/day\" is not a rate; write a count and a window, such as "
     "\"10/s\", \"600/min\", \"5000/h\""},
    {"rate of nothing", R"([limit.l]
per = []
rate = ["0/s"])",
     "/etc/b/c.toml:6:9: error: \"0/s\" is not a rate; write a count and a window, such as "
     "\"10/s\", "
     "\"600/min\", \"5000/h\""},
    {"five rates", R"([limit.l]
per = []
rate = ["1/s", "2/s", "3/s", "4/s", "5/s"])",
     "/etc/b/c.toml:6:8: error: \"rate\" holds more than 4 rates"},
    {"burst alone", R"([limit.l]
per = []
concurrency = 1
burst = 2)",
     "/etc/b/c.toml:7:9: error: \"burst\" needs \"rate\""},
    {"limit for no tool", R"([limit.l]
per = []
rate = ["1/s"]
tools = [])",
     "/etc/b/c.toml:7:9: error: \"tools\" is empty"},
    {"limit except nothing", R"([limit.l]
per = []
rate = ["1/s"]
tools = {})",
     "/etc/b/c.toml:7:1: error: \"tools\" as a table needs \"except\""},
    {"include in a text", R"(include = ["x"])",
     "/etc/b/c.toml:4:1: error: \"include\" needs a file that it stands in"},
    {"key twice", R"([log]
level = "info"
level = "info")",
     "/etc/b/c.toml:6:9: error: Error while parsing key-value pair: cannot redefine existing "
     "string 'level'; it is written twice, perhaps once with dots: keep it in one place"},
    {"a server whose name is refused is refused once", R"([server.My_Files]
command = ["x"]
[rule.r]
effect = "permit"
roles = ["reader"]
tools = ["My_Files/*"])",
     "/etc/b/c.toml:4:9: error: \"My_Files\" is not a name for a server: 1 to 32 of a-z 0-9 - are "
     "allowed"},
    {"control characters are not echoed", R"("\u001b[31m" = 1)",
     "/etc/b/c.toml:4:1: error: unknown key \"?[31m\""},
};

TEST(PolicyErrors, SayWhatIsWrongAndWhereAndWhatToWrite) {
  expect_problems(kRows);
}

TEST(PolicyErrors, BoundDetectors) {
  std::string words = "[detector.a]\nwords = [";
  for (int i = 0; i < 1025; ++i)
    words += "\"falcon" + std::to_string(i) + "\",";
  words += "]";
  const std::string long_word = "[detector.a]\nwords = [\"" + std::string(129, 'x') + "\"]";
  std::string detectors;
  for (int i = 0; i < 257; ++i)
    detectors += "[detector.d" + std::to_string(i) + "]\nwords = [\"falcon\"]\n";
  const struct {
    std::string text, problem;
  } rows[] = {
      {words, "/etc/b/c.toml:5:9: error: \"words\" has more than 1024 entries"},
      {long_word, "is longer than 128 bytes"},
      {detectors,
       "there are more than 256 detectors; \"words\" and alternatives of a \"pattern\" "
       "make one of many"},
  };
  for (const auto& row : rows) {
    const LoadedConfig loaded = load_config_text(std::string(kHead) + row.text, "/etc/b/c.toml");
    EXPECT_TRUE(all_text(loaded.problems).contains(row.problem)) << all_text(loaded.problems);
    EXPECT_FALSE(loaded.usable());
  }
}

}  // namespace
}  // namespace bartizan
