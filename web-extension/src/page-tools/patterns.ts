/**
 * Matching of addresses against the domains and patterns of a policy.
 *
 * Addresses are parsed, hosts are compared as hosts: a domain that only occurs somewhere in an address is not its host
 * (finding 6). A pattern is tried on every reading of an address, so that percent signs and doubled slashes hide nothing.
 */

/** Escapes of escapes are undone this often. */
const DECODINGS = 3;

/** True when a host is a domain of the list or below one. `https://`, `*.` and a port before or behind it do not matter. */
export function isWithin(hostname: string, domains: readonly string[]): boolean {
  const host = bare(hostname);
  return domains.some((entry) => {
    const domain = hostOfEntry(entry);
    return domain !== null && (host === domain || host.endsWith(`.${domain}`));
  });
}

/** Host of a list's entry; null when it has none. */
function hostOfEntry(entry: string): string | null {
  const name = entry
    .trim()
    .replace(/^[a-z*]+:\/\//i, "")
    .replace(/^\*?\./, "")
    .replace(/[/?#].*$/s, "");
  const parsed = name === "" || name.includes("*") ? null : URL.parse(`http://${name}`);
  return parsed === null || parsed.hostname === "" ? null : bare(parsed.hostname);
}

/** The same host, whether or not it ends with the dot of the root. */
function bare(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, "");
}

const MATCH_PATTERN = /^(\*|https?):\/\/([^/]+)(\/.*)?$/;

/**
 * True when a pattern fits an address: a match pattern as extensions know it (`*://*.example.com/admin/*`, without a path
 * the whole site), else a piece of the address in which `*` stands for anything. Case does not matter.
 */
export function fits(pattern: string, url: URL): boolean {
  const wanted = pattern.trim().toLowerCase();
  if (wanted === "") return false;
  const [, scheme, host, path = "/*"] = MATCH_PATTERN.exec(wanted) ?? [];
  if (scheme === undefined || host === undefined) {
    return readings(url.href).some((href) => globs(`*${wanted}*`, href));
  }
  const schemeFits = scheme === "*" || `${scheme}:` === url.protocol;
  const rest = url.pathname + url.search + url.hash;
  return schemeFits && hostFits(host, url) && readings(rest).some((reading) => globs(path, reading));
}

function hostFits(wanted: string, url: URL): boolean {
  const [, name = "", port] = /^(.*?)(?::(\d+|\*))?$/.exec(wanted) ?? [];
  const actual = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  if (port !== undefined && port !== "*" && port !== actual) return false;
  const host = bare(url.hostname);
  if (name.startsWith("*.")) return isWithin(host, [name]);
  return name.includes("*") ? globs(name, host) : hostOfEntry(name) === host;
}

/** An address as it is written and as a server may read it: decoded, and with doubled slashes folded. */
function readings(text: string): string[] {
  const found = [text.toLowerCase()];
  for (let round = 0; round < DECODINGS; round += 1) {
    const last = found.at(-1) ?? "";
    const decoded = decodedText(last).toLowerCase();
    if (decoded === last) break;
    found.push(decoded);
  }
  return [...new Set(found.flatMap((reading) => [reading, reading.replace(/(?<!:)\/{2,}/g, "/")]))];
}

/** Undoes percent escapes; what is no valid escape stays as it is. */
function decodedText(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}

/** A whole text against a pattern in which `*` stands for anything; takes linear steps, whatever both contain. */
function globs(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
