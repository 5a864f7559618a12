// Whose plan it is: Ed25519 over its bytes as they are served. A key that a person knows from elsewhere stands in the
// address behind #key=, which browsers send to nobody.

import { PlanError } from "./plan/canonical.js";

/** Links of a chain of keys at most. */
const MOST_LINKS = 64;
const HEX = /^(?:[0-9a-f]{2})+$/;
const bytesOf = (text) => Uint8Array.from(text.match(/../g), (pair) => Number.parseInt(pair, 16));

/**
 * The key of an address, 64 hexadecimal digits; null where there is none.
 * @param {string} fragment
 * @returns {string | null}
 */
export function keyOf(fragment) {
  return new URLSearchParams(fragment.replace(/^#/, "")).get("key");
}

/**
 * Whether a text was signed by whoever has the private key; null where the browser knows no Ed25519.
 * @param {string} text
 * @param {string} key
 * @param {string} signature
 * @returns {Promise<boolean | null>}
 */
export async function isSigned(text, key, signature) {
  if (![key, signature].every((one) => typeof one === "string" && HEX.test(one)) || key.length !== 64) return false;
  try {
    const { subtle } = globalThis.crypto;
    const read = await subtle.importKey("raw", bytesOf(key), "Ed25519", false, ["verify"]);
    return await subtle.verify("Ed25519", read, bytesOf(signature), new TextEncoder().encode(text));
  } catch (error) {
    if (error.name === "NotSupportedError") return null;
    return false;
  }
}

/**
 * The signature that a collector presents of the plan at an address, `{key, signature}`; null where it signs none. The page may have
 * asked for it before.
 * @param {string} address
 * @param {Promise<Response | null>} [early]
 */
export async function fetchSignature(address, early) {
  const answer = (await early) ?? (await fetch(`${address}/signature`, { credentials: "omit", redirect: "error" }));
  return answer.ok ? answer.json() : null;
}

/**
 * What is known of a plan's signature, as a sentence of the catalogue; throws PlanError where the address asks for another one.
 * @param {string} text
 * @param {string | null} wanted the key of the address
 * @param {{key: string, signature: string} | null} told what the collector presents
 * @returns {Promise<{key: string, values: Record<string, string>}>}
 */
export async function signedBy(text, wanted, told) {
  const needed = wanted !== null;
  const held = told ? await isSignedFor(text, wanted ?? told.key, told) : false;
  if (held) {
    // Whoever has a key may name its successors, also whoever stole an old one: which of them signed is told.
    if (needed && (await isSigned(text, wanted, told.signature))) return { key: "signed_address", values: {} };
    return { key: needed ? "signed_successor" : "signed_by", values: { key: told.key } };
  }
  if (held === null) {
    const step = "Use a newer one, or an address without a key if you trust it as it is.";
    if (needed) throw new PlanError("the browser must be able to check the plan's signature", "no Ed25519 here", step);
    return { key: "signature_unchecked", values: {} };
  }
  if (needed) throw new PlanError("the plan must be signed by the key of the address", told ? "a signature by another key" : "no signature");
  if (told) throw new PlanError("a plan's signature must fit its bytes", "a signature of other bytes");
  return { key: "unsigned", values: {} };
}

/**
 * Whether a key signed a text, or one to which its own chain leads.
 * @param {string} text
 * @param {string} key
 * @param {{key: string, signature: string, chain?: unknown}} told
 * @returns {Promise<boolean | null>}
 */
async function isSignedFor(text, key, told) {
  const held = await isSigned(text, key, told.signature);
  if (held !== false || told.key === key || !(await leadsTo(told.chain, key, told.key))) return held;
  return isSigned(text, told.key, told.signature);
}

/**
 * Whether a chain of keys, each signed by the one before it, leads from a key to another one. A line: no fork, no loop.
 * @param {unknown} chain as a collector tells it, `[{old, new, signature}]`
 * @param {string} start
 * @param {string} end
 * @returns {Promise<boolean>}
 */
export async function leadsTo(chain, start, end) {
  if (!Array.isArray(chain) || chain.length === 0 || chain.length > MOST_LINKS) return false;
  const keys = [chain[0]?.old];
  for (const link of chain) {
    const fields = Object.keys(link ?? {}).sort().join();
    if (fields !== "new,old,signature" || link.old !== keys.at(-1) || keys.includes(link.new)) return false;
    if (!(await isSigned(`sordino key 1\n${link.old}\n${link.new}\n`, link.old, link.signature))) return false;
    keys.push(link.new);
  }
  return keys.includes(start) && keys.indexOf(end) > keys.indexOf(start);
}
