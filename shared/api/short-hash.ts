import { createHash } from "node:crypto";

/** Crockford's base32 in lower case: no i, l, o, u, so that a name can be read aloud. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const bitsPerCharacter = 5;
const longest = 51;

/**
 * A DNS-safe digest: `length` characters (1 to 51) of the base32 SHA-256 of the text, five bits each. Ten characters, the default,
 * make an accidental collision among a million names a matter of one in two thousand.
 */
export function shortHash(text: string, length = 10): string {
  if (!Number.isInteger(length) || length < 1 || length > longest) {
    throw new RangeError(`a hash of ${length} characters was asked for; accepted are 1 to ${longest}`);
  }
  const bytes = createHash("sha256").update(text).digest();
  let hash = "";
  for (let index = 0; index < length; index++) {
    // The digest is one large number, read from its last bit.
    const bit = index * bitsPerCharacter;
    const low = bytes.length - 1 - (bit >> 3);
    const word = ((bytes[low - 1] ?? 0) << 8) | (bytes[low] ?? 0);
    hash += alphabet.charAt((word >> (bit & 7)) & 31);
  }
  return hash;
}
