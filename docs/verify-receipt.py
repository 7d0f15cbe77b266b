#!/usr/bin/env python3
"""Verifies a receipt of `bartizan audit receipt` offline: RECEIPT.json PUBLIC.pem

Prints the records that it proves, and when the head that covers them was signed. Needs `cryptography`.
The receipt: {"receipt":1,"seq":N,"prev":HEX,"links":[{"body":TEXT}|{"digest":HEX}…],"head":JWS}.
"""

import base64
import datetime
import hashlib
import json
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key


def fail(why):
    sys.exit(f"NOT PROVEN: {why}")


def decode(part):
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def unique(pairs):
    """A member that stands twice could be read in two ways."""
    if len({name for name, _ in pairs}) != len(pairs):
        fail("a member stands twice")
    return dict(pairs)


def read_head(jws, key):
    parts = jws.split(".")
    if len(parts) != 3:
        fail("the head is no JWS")
    header = json.loads(decode(parts[0]), object_pairs_hook=unique)
    if header.get("alg") != "EdDSA" or header.get("typ") != "bartizan-head+jwt":
        fail("the head is of another type")
    try:
        key.verify(decode(parts[2]), f"{parts[0]}.{parts[1]}".encode())
    except InvalidSignature:
        fail("the head is not signed by this key")
    return json.loads(decode(parts[1]), object_pairs_hook=unique)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: verify-receipt.py RECEIPT.json PUBLIC.pem")
    with open(sys.argv[1], encoding="utf-8") as file:
        receipt = json.load(file, object_pairs_hook=unique)
    with open(sys.argv[2], "rb") as file:
        key = load_pem_public_key(file.read())
    if not isinstance(key, Ed25519PublicKey):
        fail("the key is no Ed25519 public key")
    if receipt.get("receipt") != 1:
        fail("the receipt is of another version")
    head = read_head(receipt["head"], key)

    sequence, chained, proven = receipt["seq"], bytes.fromhex(receipt["prev"]), []
    if sequence == 1 and any(chained):
        fail("record 1 has a record before it")
    for link in receipt["links"]:
        if "body" in link:
            digest = hashlib.sha256(link["body"].encode()).digest()
            proven.append((sequence, link["body"]))
        else:
            digest = bytes.fromhex(link["digest"])
        if len(digest) != 32 or len(chained) != 32:
            fail("a hash has another length")
        chained = hashlib.sha256(chained + sequence.to_bytes(8, "big") + digest).digest()
        sequence += 1
    if sequence - 1 != head["seq"] or chained.hex() != head["hash"]:
        fail("the records do not lead to the signed head")
    if not proven:
        fail("the receipt shows no record")

    for number, body in proven:
        json.loads("{" + body + "}", object_pairs_hook=unique)
        print(f'{{{body},"seq":{number}}}')
    signed = datetime.datetime.fromtimestamp(head["iat"], datetime.timezone.utc)
    print(f"proven by head {head['seq']} of chain {head['chain']}, signed at {signed:%Y-%m-%dT%H:%M:%SZ}")


try:
    main()
except OSError as error:
    sys.exit(f"cannot read {error.filename}: {error.strerror}")
except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
    fail(f"the receipt or the key is malformed ({type(error).__name__}: {error})")
