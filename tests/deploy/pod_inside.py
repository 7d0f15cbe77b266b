#!/usr/bin/env python3
"""Runs a pod of deploy/kubernetes as its Deployment says, without a cluster.

    unshare --mount --net --pid --fork --kill-child --mount-proc pod_inside.py FILE FOLDER

FILE is `sidecar.yaml`, or another one that replaces its Deployment. Fails with an AssertionError.
"""
import json
import os
import socket
import sys
import time

import yaml

from container import Container, run_once
from images import gateway_image, notes_image
from notes_calls import (assert_confined, assert_read_only, assert_refused, calls_of, put_key,
                         text_of, write_directly)
from private_network import engine_files, make_network
from running import READY_TIMEOUT_S, ROOT, ask, initialize, wait_for_page

HOST = "mcp"  # What clients in the cluster call it, and its Service.


class Pod:
    """The pod of a Deployment. What the kubelet does in between is left out: it starts a container
    after the one before, and after the startup probe of a sidecar."""

    def __init__(self, folder, deployment):
        objects = {}
        for name in ("sidecar.yaml", deployment):
            with open(os.path.join(ROOT, "deploy", "kubernetes", name), encoding="utf-8") as file:
                objects.update({one["kind"]: one for one in yaml.safe_load_all(file)})
        self.folder = folder
        self.spec = objects["Deployment"]["spec"]["template"]["spec"]
        self.config = objects["ConfigMap"]["data"]["bartizan.toml"]
        self.images = {"bartizan:0.1.0": gateway_image(folder),
                       "bartizan-notes:0.1.0": notes_image(folder)}
        self.engine_files = engine_files(folder)
        self.containers = {}

    def make_volumes(self):
        """Each belongs to the group of the pod, as `fsGroup` says."""
        group = self.spec["securityContext"]["fsGroup"]
        held = {"config": {"bartizan.toml": self.config.encode()},
                "keys": {"digest": os.urandom(32)}, "record": {}}
        self.volumes = {}
        for volume in self.spec["volumes"]:
            place = os.path.join(self.folder, "volume-" + volume["name"])
            os.mkdir(place)
            for name, content in held[volume["name"]].items():
                with open(os.path.join(place, name), "wb") as file:
                    file.write(content)
                os.chmod(file.name, volume.get("secret", {}).get("defaultMode", 0o644))
                os.chown(file.name, 0, group)
            os.chown(place, 0, group)
            os.chmod(place, 0o2775)
            self.volumes[volume["name"]] = place

    def container(self, given, command=None):
        context = self.spec["securityContext"]
        mounts = [(self.volumes[one["name"]], one["mountPath"],
                   "ro" if one.get("readOnly") else "rw") for one in given.get("volumeMounts", [])]
        return Container(
            given["name"] if command is None else "once", self.images[given["image"]],
            folder=self.folder, command=given.get("args") if command is None else command,
            user=(context["runAsUser"], context["runAsGroup"]), groups=[context["fsGroup"]],
            read_only=given["securityContext"]["readOnlyRootFilesystem"],
            environment={one["name"]: one["value"] for one in given.get("env", [])},
            mounts=self.engine_files + mounts)

    def start(self):
        for given in self.spec.get("initContainers", []) + self.spec["containers"]:
            container = self.containers[given["name"]] = self.container(given)
            container.start()
            if "exec" in given.get("startupProbe", {}):
                container.wait_until_healthy(given["startupProbe"]["exec"]["command"])

    def ask(self, probe, address):
        """A probe of the gateway, from outside of the pod, as the kubelet asks it."""
        gateway = next(one for one in self.spec["containers"] if one["name"] == "gateway")
        ports = {port["name"]: port["containerPort"] for port in gateway["ports"]}
        get = gateway[probe]["httpGet"]
        wait_for_page(ports[get["port"]], get["path"], self.containers["gateway"].process, address)

    def wait_for_server(self):
        deadline = time.monotonic() + READY_TIMEOUT_S
        while not is_open("127.0.0.1", 3001):
            assert time.monotonic() < deadline, self.containers["server"].log()
            time.sleep(0.05)

    def stop(self):
        """Sidecars last, as Kubernetes ends them."""
        order = self.spec["containers"] + self.spec.get("initContainers", [])[::-1]
        for given in order:
            container = self.containers[given["name"]]
            code = container.stop(self.spec["terminationGracePeriodSeconds"])
            assert code == 0, f"{given['name']} ended with {code}: {container.log()}"


def is_open(address, port):
    with socket.socket() as client:
        return client.connect_ex((address, port)) == 0


class Client:
    """A client in the cluster, of a revision that begins with `initialize`."""

    def __init__(self, address, key):
        self.terms = {"key": key, "address": address, "host": HOST}
        status, self.session, said = initialize(**self.terms)
        assert status == 200 and self.session, said
        ask(self.session, 0, "notifications/initialized", {}, **self.terms)

    def call(self, tool, **arguments):
        params = {"name": tool, "arguments": arguments}
        return json.loads(ask(self.session, 2, "tools/call", params, **self.terms)[2])


def check_pod(deployment, folder):
    pod = Pod(folder, deployment)
    address = make_network([HOST])[HOST]
    gateway = next(one for one in pod.spec["containers"] if one["name"] == "gateway")
    pod.volumes = {}
    printed = run_once(pod.container({**gateway, "volumeMounts": []},
                                     ["key", "new", "ann-laptop", "--principal", "ann"]))
    key, pod.config = put_key(pod.config, printed)
    pod.make_volumes()
    pod.start()
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        pod.ask(probe, address)
    # In the first form nobody waits for the server but its clients.
    pod.wait_for_server()
    client = Client(address, key)
    assert "behind a gateway" in text_of(client.call("notes_read_note", name="welcome"))
    assert_refused(client.call("notes_write_note", name="mine", text="hello"), "no_matching_rule")
    server = pod.containers["server"]
    assert calls_of(server) == ["read_note"], server.log()
    assert is_open("127.0.0.1", 3001) and is_open(address, 8080) and not is_open(address, 3001)
    write_directly(3001)
    assert calls_of(server)[-1] == "write_note", server.log()
    for container in pod.containers.values():
        assert_confined(container, None)
    assert_read_only(server)
    pod.stop()
    assert "chain ok" in run_once(pod.container(
        gateway, ["audit", "verify", "/var/lib/bartizan/audit.jsonl"]))


check_pod(*sys.argv[1:3])
print("started, called, refused, verified, stopped")
