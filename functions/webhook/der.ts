/** The few ASN.1 types of an X.509 certificate, in their Distinguished Encoding (ITU-T X.690). */

export function sequence(...items: readonly Buffer[]): Buffer {
  return element(0x30, Buffer.concat(items));
}

export function set(...items: readonly Buffer[]): Buffer {
  return element(0x31, Buffer.concat(items));
}

/** A positive integer, big-endian: a leading zero keeps a high bit from meaning "negative". */
export function integer(bytes: Buffer): Buffer {
  const trimmed = bytes.subarray(bytes.findIndex((byte) => byte !== 0));
  return element(0x02, (trimmed[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), trimmed]) : trimmed);
}

export function boolean(value: boolean): Buffer {
  return element(0x01, Buffer.from([value ? 0xff : 0]));
}

export function bitString(bytes: Buffer, unusedBits = 0): Buffer {
  return element(0x03, Buffer.concat([Buffer.from([unusedBits]), bytes]));
}

/** A bit string of flags below 8, trailing zeros cut off. */
export function namedBits(...bits: readonly number[]): Buffer {
  const byte = bits.reduce((sum, bit) => sum | (0x80 >> bit), 0);
  return bitString(Buffer.from([byte]), 7 - Math.max(...bits));
}

export function octetString(bytes: Buffer): Buffer {
  return element(0x04, bytes);
}

/** An object identifier whose encoded form is given in hex. */
export function oid(hex: string): Buffer {
  return element(0x06, Buffer.from(hex, "hex"));
}

export function utf8(text: string): Buffer {
  return element(0x0c, Buffer.from(text, "utf8"));
}

/** Two-digit years until 2049, four digits after (RFC 5280 §4.1.2.5). */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/\.\d+|[-:T]/g, "");
  return date.getUTCFullYear() < 2050
    ? element(0x17, Buffer.from(digits.slice(2), "ascii"))
    : element(0x18, Buffer.from(digits, "ascii"));
}

/** A constructed, context-specific element. */
export function explicit(tagNumber: number, content: Buffer): Buffer {
  return element(0xa0 | tagNumber, content);
}

/** A primitive, context-specific element. */
export function implicit(tagNumber: number, content: Buffer): Buffer {
  return element(0x80 | tagNumber, content);
}

function element(tagByte: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tagByte]), lengthBytes(content.length), content]);
}

function lengthBytes(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const hex = length.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
}
