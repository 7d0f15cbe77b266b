"""A network that nobody else sees, with names in it, as a container engine makes one."""
import fcntl
import os
import socket
import struct
import threading

NAME_SERVER = "127.0.0.11"


def set_up(interface, address=None):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        if address:
            request = struct.pack("16sH2x4s8x", interface, socket.AF_INET,
                                  socket.inet_aton(address))
            fcntl.ioctl(any_socket, 0x8916, request)  # SIOCSIFADDR.
        request = struct.pack("16sh14x", interface, 1 | 64)  # IFF_UP and IFF_RUNNING.
        fcntl.ioctl(any_socket, 0x8914, request)  # SIOCSIFFLAGS.


def make_network(names):
    """An address for each name. They are private ones, as in an engine's network."""
    set_up(b"lo")
    addresses = {name: f"172.30.{at}.2" for at, name in enumerate(names)}
    for at, address in enumerate(addresses.values()):
        set_up(b"lo:%d" % at, address)
    return addresses


def serve_names(addresses):
    """Answers who asks for the address of a name, as the name server of an engine does."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind((NAME_SERVER, 53))

    def answer(question):
        name, at = [], 12
        while question[at]:
            name.append(question[at + 1:at + 1 + question[at]].decode())
            at += 1 + question[at]
        kind, = struct.unpack("!H", question[at + 1:at + 3])
        address = addresses.get(".".join(name))
        has = address is not None and kind == 1
        head = struct.pack("!2sHHHHH", question[:2], 0x8180 if address else 0x8183, 1, has, 0, 0)
        row = struct.pack("!HHHIH4s", 0xC00C, 1, 1, 60, 4, socket.inet_aton(address or "0.0.0.0"))
        return head + question[12:at + 5] + (row if has else b"")

    def serve():
        while True:
            question, asker = server.recvfrom(512)
            server.sendto(answer(question), asker)

    threading.Thread(target=serve, daemon=True).start()


def engine_files(folder):
    """What an engine puts into every container."""
    files = {"/etc/resolv.conf": f"nameserver {NAME_SERVER}\n",
             "/etc/hosts": "127.0.0.1 localhost\n"}
    mounts = []
    for target, text in files.items():
        source = os.path.join(folder, os.path.basename(target))
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        mounts.append((source, target, "ro"))
    return mounts
