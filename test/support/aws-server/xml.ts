export type XmlValue =
  | string
  | number
  | boolean
  | undefined
  | readonly XmlValue[]
  | { readonly [name: string]: XmlValue };

/** Elements by name; a list becomes elements of the name `item` (EC2) or `member` (IAM) inside its own. */
export function xml(value: XmlValue, itemName: "item" | "member" = "item"): string {
  if (value === undefined) return "";
  if (isList(value)) return value.map((one) => `<${itemName}>${xml(one, itemName)}</${itemName}>`).join("");
  if (typeof value === "object") {
    return Object.entries(value)
      .filter(([, content]) => content !== undefined)
      .map(([name, content]) => `<${name}>${xml(content, itemName)}</${name}>`)
      .join("");
  }
  return String(value).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

export function tagSet(tags: Readonly<Record<string, string>>): XmlValue {
  return Object.entries(tags).map(([key, value]) => ({ key, value }));
}

function isList(value: XmlValue): value is readonly XmlValue[] {
  return Array.isArray(value);
}
