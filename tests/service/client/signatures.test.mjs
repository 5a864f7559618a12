// Signatures of plans: the right one, and all that is none.

import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";
import test from "node:test";

import { PlanError, isSigned, keyOf, leadsTo, signedBy } from "../../../src/sordino/service/client/index.js";

// Node 18 has it under another name.
if (!globalThis.crypto) Object.defineProperty(globalThis, "crypto", { value: webcrypto });

const hex = (buffer) => Buffer.from(buffer).toString("hex");
const TEXT = '{"a":1}\n';

async function signer() {
  const pair = await webcrypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
  const key = hex(await webcrypto.subtle.exportKey("raw", pair.publicKey));
  const sign = async (text) => hex(await webcrypto.subtle.sign("Ed25519", pair.privateKey, Buffer.from(text)));
  const names = async (other) => {
    const link = { old: key, new: other.key };
    return { ...link, signature: await sign(`sordino key 1\n${link.old}\n${link.new}\n`) };
  };
  return { key, signature: await sign(TEXT), names };
}

// RFC 8032, section 7.1, test 2: not from the library that checks here.
test("a signature of the standard is right", async () => {
  const key = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";
  const signature =
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";
  assert.equal(await isSigned("r", key, signature), true);
  assert.equal(await isSigned("s", key, signature), false);
});

test("a plan that its collector signed", async () => {
  const told = await signer();
  assert.deepEqual(await signedBy(TEXT, null, told), { key: "signed_by", values: { key: told.key } });
  assert.equal((await signedBy(TEXT, told.key, told)).key, "signed_address");
  assert.equal((await signedBy(TEXT, null, null)).key, "unsigned");
});

test("what was not signed by the key of the address is refused", async () => {
  const [own, other] = [await signer(), await signer()];
  for (const [key, told] of [
    [other.key, own],
    [own.key, null],
    [own.key, { ...own, signature: other.signature }],
    [own.key, { ...own, signature: "" }],
    ["00", own],
    ["", own],
    ["nothing", own],
    [own.key, { key: own.key }],
  ]) {
    await assert.rejects(signedBy(TEXT, key, told), PlanError);
  }
  await assert.rejects(signedBy(`${TEXT} `, null, own), PlanError);
});

test("the key of an address", () => {
  assert.equal(keyOf("#key=00ff"), "00ff");
  assert.equal(keyOf(""), null);
  assert.equal(keyOf("#key="), "");
});

test("a key that the one of the address names signs as well", async () => {
  const [a, b, c, other] = [await signer(), await signer(), await signer(), await signer()];
  const [ab, bc] = [await a.names(b), await b.names(c)];
  const told = { key: c.key, signature: c.signature, chain: [ab, bc] };
  for (const known of [a, b]) {
    assert.deepEqual(await signedBy(TEXT, known.key, told), { key: "signed_successor", values: { key: c.key } });
  }
  assert.deepEqual(await signedBy(TEXT, c.key, told), { key: "signed_address", values: {} });
  assert.equal((await signedBy(TEXT, null, told)).key, "signed_by");
  await assert.rejects(signedBy(TEXT, other.key, told), PlanError);
  await assert.rejects(signedBy(`${TEXT} `, a.key, told), PlanError);
  for (const chain of [
    undefined,
    null,
    [],
    "chain",
    [null],
    [bc],
    [bc, ab],
    [ab, ab, bc],
    [ab, bc, await b.names(other)],
    [ab, bc, await c.names(a)],
    [ab, { ...bc, signature: ab.signature }],
    [{ ...ab, signature: "00".repeat(64) }, bc],
    [ab, { ...bc, more: 1 }],
    [ab, { old: bc.old, new: bc.new }],
  ]) {
    await assert.rejects(signedBy(TEXT, a.key, { ...told, chain }), PlanError);
  }
  assert.equal(await leadsTo([ab, bc], c.key, a.key), false);
});
