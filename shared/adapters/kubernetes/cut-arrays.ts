const [quote, backslash, open, close, colon] = [0x22, 0x5c, 0x5b, 0x5d, 0x3a];

/**
 * A JSON text without what is in the arrays under these keys, wherever they are: most of a pod's or node's bytes are fields that nobody
 * here reads, and to pass over them costs a fraction of parsing them. What is kept moves up within the buffer, which is the caller's no
 * more. What is no JSON is left for the parser to refuse.
 */
export function cutArrays(json: Buffer, keys: readonly string[]): Buffer {
  const wanted = keys.map((key) => Buffer.from(key));
  let [kept, from] = [0, 0];
  for (let at = nextQuote(json, 0); at !== -1; at = nextQuote(json, at)) {
    const end = endOfString(json, at);
    if (end === -1) break;
    const start = at + 1;
    at = end + 1;
    if (json[at] !== colon || json[at + 1] !== open || !wanted.some((key) => isAt(json, key, start, end))) continue;
    const closing = endOfArray(json, at + 1);
    if (closing === -1) break;
    kept += json.copy(json, kept, from, at + 2);
    from = closing;
    at = closing;
  }
  kept += json.copy(json, kept, from);
  return json.subarray(0, kept);
}

function isAt(json: Buffer, key: Buffer, start: number, end: number): boolean {
  if (end - start !== key.length) return false;
  for (let index = 0; index < key.length; index += 1) if (json[start + index] !== key[index]) return false;
  return true;
}

/** Where the array that opens at `start` closes; -1 when it does not. */
function endOfArray(json: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === quote) {
      at = endOfString(json, at);
      if (at === -1) return -1;
    } else if (byte === open) depth += 1;
    else if (byte === close && --depth === 0) return at;
  }
  return -1;
}

function endOfString(json: Buffer, start: number): number {
  for (let at = start + 1; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === backslash) at += 1;
    else if (byte === quote) return at;
  }
  return -1;
}

/** Few bytes away as a rule, where a call into the runtime costs more than it saves. */
function nextQuote(json: Buffer, start: number): number {
  for (let at = start; at < json.length; at += 1) if (json[at] === quote) return at;
  return -1;
}
