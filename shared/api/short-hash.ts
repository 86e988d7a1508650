import { createHash } from "node:crypto";

/** Crockford's base32 in lower case: no i, l, o, u, so that a name can be read aloud. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const bitsPerCharacter = 5n;
const longest = 51;

/**
 * A DNS-safe digest: `length` characters (1 to 51) of the base32 SHA-256 of the text, five bits each. Ten characters, the default,
 * make an accidental collision among a million names a matter of one in two thousand.
 */
export function shortHash(text: string, length = 10): string {
  if (!Number.isInteger(length) || length < 1 || length > longest) {
    throw new RangeError(`a hash of ${length} characters was asked for; accepted are 1 to ${longest}`);
  }
  let bits = BigInt(`0x${createHash("sha256").update(text).digest("hex")}`);
  let hash = "";
  for (let index = 0; index < length; index++) {
    hash += alphabet.charAt(Number(bits & 31n));
    bits >>= bitsPerCharacter;
  }
  return hash;
}
