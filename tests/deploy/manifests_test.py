"""The files of deploy/ hold together: forms, ports, names of metrics, the configurations inside."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

sys.path.insert(0, os.path.dirname(__file__))
from running import ROOT, Gateway, check_configuration, free_port  # noqa: E402


def path(*parts):
    return os.path.join(ROOT, "deploy", *parts)


def text_of(*parts):
    with open(path(*parts), encoding="utf-8") as file:
        return file.read()


def check_form(value, form, where="", problems=None):
    """Compares a document with a form: a type, a list of one form, or members by name.

    A member whose name begins with `?` may be absent; with "*", others are allowed.
    """
    problems = [] if problems is None else problems
    if isinstance(form, dict):
        if not isinstance(value, dict):
            return problems + [f"{where}: no mapping"]
        names = {name.lstrip("?"): name for name in form}
        for name, spelled in names.items():
            if name in value:
                problems = check_form(value[name], form[spelled], f"{where}.{name}", problems)
            elif name == spelled and name != "*":
                problems = problems + [f"{where}: no {name}"]
        unknown = [] if "*" in form else sorted(set(value) - set(names))
        return problems + [f"{where}: unknown {name}" for name in unknown]
    if isinstance(form, list):
        if not isinstance(value, list) or not value:
            return problems + [f"{where}: no list, or an empty one"]
        for at, item in enumerate(value):
            problems = check_form(item, form[0], f"{where}[{at}]", problems)
        return problems
    if isinstance(form, (set, frozenset)):
        return problems if value in form else problems + [f"{where}: {value!r}"]
    return problems if isinstance(value, form) else problems + [f"{where}: no {form}"]


PROBE = {"httpGet": {"path": str, "port": str}, "periodSeconds": int, "failureThreshold": int}
CONFINED = {"allowPrivilegeEscalation": {False}, "readOnlyRootFilesystem": {True},
            "runAsNonRoot": {True}, "capabilities": {"drop": [{"ALL"}]},
            "seccompProfile": {"type": {"RuntimeDefault"}}}
OWN_PROFILE = {"seccompProfile": {"type": {"Localhost"}, "localhostProfile": str}}
CONTAINER = {"name": str, "image": str, "?args": [str], "?env": [{"name": str, "value": str}],
             "?ports": [{"name": str, "containerPort": int}], "?startupProbe": PROBE,
             "?livenessProbe": PROBE, "?readinessProbe": PROBE,
             "resources": {"requests": {"cpu": str, "memory": str}, "limits": {"memory": str}},
             "securityContext": CONFINED,
             "?volumeMounts": [{"name": str, "mountPath": str, "?readOnly": bool}]}
# The kubelet does not reach a server on loopback, so a command inside asks it.
SIDECAR = {**CONTAINER, "restartPolicy": {"Always"},
           "?startupProbe": {**PROBE, "exec": {"command": [str]}}}
del SIDECAR["?startupProbe"]["httpGet"]
POD = {"automountServiceAccountToken": {False}, "enableServiceLinks": {False},
       "terminationGracePeriodSeconds": int,
       "securityContext": {"runAsNonRoot": {True}, "runAsUser": int, "runAsGroup": int,
                           "fsGroup": int, "fsGroupChangePolicy": {"OnRootMismatch"},
                           "seccompProfile": {"type": {"RuntimeDefault"}}},
       "?initContainers": [SIDECAR], "containers": [CONTAINER],
       "volumes": [{"name": str, "*": None}]}
META = {"name": str, "?labels": dict}
LABELS = {"matchLabels": dict}
PEER = {"?podSelector": LABELS, "?namespaceSelector": LABELS, "?ipBlock": {"cidr": str}}
PORT = {"protocol": {"TCP", "UDP"}, "port": (int, str)}
KUBERNETES = {
    "ConfigMap": {"apiVersion": {"v1"}, "kind": str, "metadata": META, "data": dict},
    "Deployment": {"apiVersion": {"apps/v1"}, "kind": str, "metadata": META,
                   "spec": {"replicas": {1}, "strategy": {"type": {"Recreate"}}, "selector": LABELS,
                            "template": {"metadata": {"labels": dict, "annotations": dict},
                                         "spec": POD}}},
    "PersistentVolumeClaim": {"apiVersion": {"v1"}, "kind": str, "metadata": META,
                              "spec": {"accessModes": [str],
                                       "resources": {"requests": {"storage": str}}}},
    "Service": {"apiVersion": {"v1"}, "kind": str, "metadata": META,
                "spec": {"selector": dict,
                         "ports": [{"name": str, "port": int, "targetPort": str}]}},
    "NetworkPolicy": {"apiVersion": {"networking.k8s.io/v1"}, "kind": str, "metadata": META,
                      "spec": {"podSelector": LABELS, "policyTypes": [{"Ingress", "Egress"}],
                               "?ingress": [{"from": [PEER], "ports": [PORT]}],
                               "?egress": [{"to": [PEER], "ports": [PORT]}]}},
}
HEALTHY = {"condition": {"service_healthy"}}
COMPOSE_SERVICE = {"image": str, "?user": str,
                   "?build": {"context": str, "?dockerfile": str, "args": [{"BASE"}]},
                   "read_only": {True}, "cap_drop": [{"ALL"}], "security_opt": [str],
                   "?volumes": [str], "?ports": [str], "networks": [str],
                   "?healthcheck": {"test": [str], "interval": str, "timeout": str,
                                    "start_period": str},
                   "?stop_grace_period": str, "restart": str, "?mem_limit": str, "?pids_limit": int,
                   "?command": [str],
                   "?depends_on": {"?gateway": HEALTHY, "?notes": HEALTHY}}
ALERTS = {"groups": [{"name": str, "rules": [
    {"alert": str, "expr": str, "?for": str, "labels": {"severity": {"critical", "warning"}},
     "annotations": {"summary": str, "?description": str, "runbook": str}}]}]}


def port_of(config, table):
    found = re.search(rf'^\[{table}\]\n(?:[^\[].*\n)*?address = "[^"]*:(\d+)"', config, re.M)
    return int(found.group(1))


def documents(name):
    return list(yaml.safe_load_all(text_of("kubernetes", name)))


class Kubernetes(unittest.TestCase):
    def setUp(self):
        everything = documents("sidecar.yaml")
        self.by_kind = {document["kind"]: document for document in everything}
        self.assertEqual(len(self.by_kind), len(everything))
        self.config = self.by_kind["ConfigMap"]["data"]["bartizan.toml"]
        self.pod = self.by_kind["Deployment"]["spec"]["template"]["spec"]
        self.server, self.gateway = self.pod["containers"]
        self.assertEqual((self.server["name"], self.gateway["name"]), ("server", "gateway"))

    def test_every_object_has_its_form(self):
        self.assertEqual(sorted(self.by_kind), sorted(KUBERNETES))
        for name in ("sidecar.yaml", "native-sidecar.yaml", "egress.yaml"):
            for document in documents(name):
                kind = document["kind"]
                self.assertEqual(check_form(document, KUBERNETES[kind], f"{name}: {kind}"), [])

    def test_the_own_profile_is_an_option(self):
        # The form has `RuntimeDefault` everywhere. A comment below it has the other.
        for name in ("sidecar.yaml", "native-sidecar.yaml"):
            options = re.findall(r"^ +# (seccompProfile: .*)$", text_of("kubernetes", name), re.M)
            self.assertEqual(len(options), 1, name)
            option = yaml.safe_load(options[0])
            self.assertEqual(check_form(option, OWN_PROFILE), [])
            file = option["seccompProfile"]["localhostProfile"]
            self.assertTrue(os.path.exists(path("seccomp", file)), file)

    def test_the_native_form_is_the_same_pod_with_the_server_as_its_sidecar(self):
        native, = documents("native-sidecar.yaml")
        pod = native["spec"]["template"]["spec"]
        sidecar, = pod.pop("initContainers")
        self.assertEqual(sidecar.pop("restartPolicy"), "Always")
        self.assertIn("exec", sidecar.pop("startupProbe"))
        pod["containers"].insert(0, sidecar)
        self.assertEqual(native, self.by_kind["Deployment"])

    def test_egress_leads_where_it_says_and_nowhere_else(self):
        policies = [self.by_kind["NetworkPolicy"], *documents("egress.yaml")]
        pods = {"matchLabels": self.by_kind["Service"]["spec"]["selector"]}
        peers = []
        for policy in policies:
            if "Egress" not in policy["spec"]["policyTypes"]:
                continue
            self.assertEqual(policy["spec"]["podSelector"], pods)
            for rule in policy["spec"]["egress"]:
                ports = sorted((port["protocol"], port["port"]) for port in rule["ports"])
                peers += [(peer, ports) for peer in rule["to"]]
        system = {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}}
        dns = {"matchLabels": {"k8s-app": "kube-dns"}}
        names = ({"namespaceSelector": system, "podSelector": dns}, [("TCP", 53), ("UDP", 53)])
        servers = {"podSelector": {"matchLabels": {"mcp-server": "true"}}}
        provider, = [(peer, ports) for peer, ports in peers if "ipBlock" in peer]
        self.assertEqual(provider[1], [("TCP", 443)])
        self.assertTrue(provider[0]["ipBlock"]["cidr"].endswith("/32"))
        self.assertEqual(peers, [names, names, (servers, [("TCP", 3001)]), provider])
        # The servers' own policy lets in the gateway, and nobody else.
        inward = policies[-1]["spec"]
        self.assertEqual(inward["podSelector"], servers["podSelector"])
        self.assertEqual([rule["from"] for rule in inward["ingress"]], [[{"podSelector": pods}]])

    def test_the_configuration_passes(self):
        self.assertIn("1 server, 1 rule", check_configuration(self.config))

    def test_ports_are_the_configured_ones(self):
        ports = {port["name"]: port["containerPort"] for port in self.gateway["ports"]}
        self.assertEqual(ports, {"mcp": port_of(self.config, "listen"),
                                 "metrics": port_of(self.config, "metrics")})
        template = self.by_kind["Deployment"]["spec"]["template"]
        annotations = template["metadata"]["annotations"]
        self.assertEqual(annotations["prometheus.io/port"], str(ports["metrics"]))
        for probe, page in (("startupProbe", "/healthz"), ("livenessProbe", "/healthz"),
                            ("readinessProbe", "/readyz")):
            self.assertEqual(self.gateway[probe]["httpGet"], {"path": page, "port": "metrics"})

    def test_the_server_is_reached_over_loopback_only(self):
        self.assertNotIn("ports", self.server)
        self.assertIn('url = "http://127.0.0.1:3001/mcp"', self.config)
        for name, value in (("HOST", "127.0.0.1"), ("PORT", "3001")):
            self.assertIn({"name": name, "value": value}, self.server["env"])

    def test_names_lead_somewhere(self):
        volumes = {volume["name"]: volume for volume in self.pod["volumes"]}
        mounts = {mount["mountPath"]: mount["name"] for mount in self.gateway["volumeMounts"]}
        self.assertEqual(sorted(mounts.values()), sorted(volumes))
        self.assertEqual(volumes["config"]["configMap"]["name"],
                         self.by_kind["ConfigMap"]["metadata"]["name"])
        self.assertEqual(volumes["record"]["persistentVolumeClaim"]["claimName"],
                         self.by_kind["PersistentVolumeClaim"]["metadata"]["name"])
        # Secrets that everyone may read are refused by the gateway.
        self.assertEqual(volumes["keys"]["secret"]["defaultMode"] & 0o007, 0)
        self.assertEqual(self.gateway["args"], ["run", "/etc/bartizan/config/bartizan.toml"])
        for folder in ("/etc/bartizan/keys/", "/var/lib/bartizan/"):
            self.assertIn(folder, self.config)
        labels = self.by_kind["Deployment"]["spec"]["template"]["metadata"]["labels"]
        for selector in (self.by_kind["Deployment"]["spec"]["selector"]["matchLabels"],
                         self.by_kind["Service"]["spec"]["selector"],
                         self.by_kind["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"]):
            self.assertEqual(selector, labels)


class Compose(unittest.TestCase):
    def setUp(self):
        self.compose = yaml.safe_load(text_of("compose", "compose.yaml"))
        self.gateway = self.compose["services"]["gateway"]
        self.config = text_of("compose", "bartizan.toml")

    def test_it_has_its_form(self):
        form = {"name": str, "services": dict, "networks": dict, "volumes": dict}
        self.assertEqual(check_form(self.compose, form), [])
        for name, service in self.compose["services"].items():
            self.assertEqual(check_form(service, COMPOSE_SERVICE, name), [])
            self.assertLessEqual(set(service["networks"]), set(self.compose["networks"]))
            for volume in service.get("volumes", []):
                source = volume.split(":")[0]
                if source.startswith("."):
                    self.assertTrue(os.path.exists(path("compose", source)), source)
                else:
                    self.assertIn(source, self.compose["volumes"])

    def test_the_server_is_reached_through_the_gateway_only(self):
        server = self.compose["services"]["notes"]
        self.assertNotIn("ports", server)
        self.assertEqual(server["networks"], ["servers"])
        self.assertTrue(self.compose["networks"]["servers"]["internal"])
        self.assertIn("http://notes:", self.config)
        for service in self.compose["services"].values():
            for port in service.get("ports", []):
                self.assertTrue(port.startswith("127.0.0.1:"), port)

    def test_the_configuration_passes_and_ports_agree(self):
        self.assertIn("1 server, 1 rule", check_configuration(self.config))
        self.assertEqual(self.gateway["ports"], [f"127.0.0.1:8080:{port_of(self.config, 'listen')}"])
        scraped = yaml.safe_load(text_of("compose", "prometheus.yml"))
        job = scraped["scrape_configs"][0]
        self.assertEqual(job["job_name"], "bartizan")
        self.assertEqual(job["static_configs"][0]["targets"],
                         [f"gateway:{port_of(self.config, 'metrics')}"])
        # What `bartizan health` asks when nothing else is said.
        self.assertEqual(port_of(self.config, "metrics"), 9901)

    def test_the_key_is_made_by_the_command_of_the_page(self):
        command = re.search(r"^#   (docker compose .*)$", self.config, re.M).group(1)
        self.assertIn(f"\n$ {command}\n", text_of("README.md"))

    def test_the_profile_is_applied(self):
        options = [option.split("=")[1] for option in self.gateway["security_opt"] if "=" in option]
        self.assertEqual([os.path.normpath(path("compose", option)) for option in options],
                         [path("seccomp", "bartizan.json")])
        self.assertTrue(os.path.exists(path("seccomp", "bartizan.json")))


class Monitoring(unittest.TestCase):
    def setUp(self):
        self.alerts = yaml.safe_load(text_of("prometheus", "alerts.yml"))
        self.rules = self.alerts["groups"][0]["rules"]

    def test_alerts_have_their_form(self):
        self.assertEqual(check_form(self.alerts, ALERTS), [])
        names = [rule["alert"] for rule in self.rules]
        self.assertEqual(len(set(names)), len(names))
        for rule in self.rules:
            self.assertRegex(rule.get("for", "1m"), r"^\d+[smh]$")
            self.assertEqual(rule["expr"].count("("), rule["expr"].count(")"))

    def test_runbooks_lead_to_headings_of_the_manual(self):
        for rule in self.rules:
            page, _, anchor = rule["annotations"]["runbook"].partition("#")
            with open(os.path.join(ROOT, page), encoding="utf-8") as file:
                titles = re.findall(r"^#+ (.*)$", file.read(), re.M)
            anchors = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
            self.assertTrue(anchor == "" or anchor in anchors, f"{rule['alert']}: {page}#{anchor}")

    def test_every_metric_and_label_is_known_to_the_program(self):
        with open(os.path.join(ROOT, "audit", "metric_families.cc"), encoding="utf-8") as file:
            families = set(re.findall(r'"((?:bartizan|mcp|process)_\w+)"', file.read()))
        for rule in self.rules:
            used = set(re.findall(r"\b(?:bartizan|mcp|process)_\w+", rule["expr"]))
            self.assertLessEqual(used, families, rule["alert"])
            self.assertTrue(used or "up{" in rule["expr"], rule["alert"])

    def test_a_running_gateway_serves_them(self):
        with tempfile.TemporaryDirectory() as folder:
            # A server that nobody answers for shows the metrics of servers.
            table = f'[server.gone]\nurl = "http://127.0.0.1:{free_port()}/mcp"\n'
            with Gateway(folder, table) as gateway:
                served = gateway.page("/metrics")[1]
        families = set(re.findall(r"^# TYPE (\w+)", served, re.M))
        # Families without a sample yet are not served: their names are checked above.
        quiet = {"bartizan_policy_decisions_total", "bartizan_http_refusals_total"}
        for rule in self.rules:
            used = set(re.findall(r"\b(?:bartizan|mcp)_\w+", rule["expr"]))
            self.assertLessEqual(used - quiet, families, rule["alert"])

    @unittest.skipUnless(shutil.which("promtool"), "promtool (Debian: prometheus) is not installed")
    def test_promtool_agrees(self):
        rules = path("prometheus", "alerts.yml")
        subprocess.run(["promtool", "check", "rules", rules], check=True, capture_output=True)
        tests = path("prometheus", "alerts_test.yml")
        subprocess.run(["promtool", "test", "rules", tests], check=True, capture_output=True)
        with open(tests, encoding="utf-8") as file:
            tested = set(re.findall(r'alertname="(\w+)", alertstate="firing"', file.read()))
        self.assertEqual(tested, {rule["alert"] for rule in self.rules})


if __name__ == "__main__":
    unittest.main(verbosity=2)
