#include "gateway/console/console_pages.h"

namespace bartizan {
namespace {

constexpr std::string_view kStyle = R"(:root {
  color-scheme: light dark;
  --paper: #ffffff;
  --ink: #1b1f24;
  --quiet: #57606a;
  --line: #d0d7de;
  --raised: #f6f8fa;
  --link: #0a53be;
  --good: #1a6630;
  --bad: #b3261e;
  --warn: #7a5200;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14181d;
    --ink: #e6e9ed;
    --quiet: #a0aab4;
    --line: #3a434d;
    --raised: #1e242b;
    --link: #8ab8ff;
    --good: #7fd495;
    --bad: #ff9d94;
    --warn: #f0c060;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0;
  background: var(--paper);
  color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif;
}
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
main:focus { outline: none; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--paper); padding: 0.5rem; }
header {
  display: flex;
  flex-wrap: wrap;
  gap: 0.5rem 1.5rem;
  align-items: center;
  padding: 0.75rem 1rem;
  border-bottom: 1px solid var(--line);
  background: var(--raised);
}
header p { margin: 0; }
header form { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: center; margin-left: auto; }
.brand { font-weight: 700; }
nav ul { display: flex; gap: 1rem; margin: 0; padding: 0; list-style: none; }
nav a { padding: 0.25rem 0; }
nav a[aria-current] { color: inherit; font-weight: 600; text-decoration-thickness: 3px; }
main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
main.narrow { max-width: 28rem; }
h1 { font-size: 1.6rem; margin: 0.5rem 0 1rem; }
h2 { font-size: 1.2rem; margin: 2rem 0 0.5rem; }
h3 { font-size: 1rem; margin: 0; }
p, dd, td, h3, li, pre { overflow-wrap: anywhere; }
bdi { white-space: pre-wrap; }
pre, code { font-family: ui-monospace, monospace; font-size: 0.9em; }
pre { white-space: pre-wrap; padding: 0.75rem; background: var(--raised); }
.quiet { color: var(--quiet); }
.good { color: var(--good); }
.bad { color: var(--bad); }
.warn { color: var(--warn); }
.box { padding: 0.75rem 1rem; border: 1px solid currentColor; border-radius: 6px; }
.mark { color: var(--bad); font-family: ui-monospace, monospace; font-size: 0.85em; }
table { width: 100%; border-collapse: collapse; }
th, td {
  padding: 0.5rem 0.75rem 0.5rem 0;
  border-bottom: 1px solid var(--line);
  text-align: left;
  vertical-align: top;
}
dl { margin: 0; }
dl div { display: grid; grid-template-columns: 10rem 1fr; gap: 0.25rem 1rem; padding: 0.35rem 0; }
dt { color: var(--quiet); }
dd { margin: 0; }
.cards { padding: 0; list-style: none; display: grid; gap: 1rem; }
.cards li {
  padding: 1rem;
  border: 1px solid var(--line);
  border-radius: 6px;
  background: var(--raised);
}
.json { margin: 0; padding-left: 1.25rem; }
.json .name { font-weight: 600; }
.value {
  border-left: 3px solid var(--line);
  padding-left: 0.5rem;
  font-family: ui-monospace, monospace;
  font-size: 0.9em;
  overflow-wrap: anywhere;
}
.choices { display: flex; flex-wrap: wrap; gap: 0.75rem; }
.tall { display: grid; gap: 0.5rem; }
.tall p { margin: 0 0 0.5rem; }
label { font-weight: 600; }
input, button { font: inherit; color: inherit; }
input {
  width: 100%;
  padding: 0.5rem;
  border: 1px solid var(--quiet);
  border-radius: 6px;
  background: var(--paper);
}
button {
  padding: 0.5rem 1rem;
  border: 1px solid var(--link);
  border-radius: 6px;
  background: var(--link);
  color: var(--paper);
  font-weight: 600;
  cursor: pointer;
}
button.plain { background: transparent; color: var(--link); font-weight: 400; }
@media (max-width: 40rem) {
  header form { margin-left: 0; }
  dl div { grid-template-columns: 1fr; }
  thead { position: absolute; left: -100rem; }
  tr { display: block; border-bottom: 1px solid var(--line); padding: 0.5rem 0; }
  th, td { display: block; border: 0; padding: 0; }
  td:nth-child(3)::before { content: "Quarantined: "; color: var(--quiet); }
}
)";

}  // namespace

std::string_view console_style() {
  return kStyle;
}

}  // namespace bartizan
