/** Which names promise a secret: keys of JSON, labels of fields, parameters of URLs. */

/** `secret`: any value is hidden. `key-like`: a value is hidden when it looks like a key. */
export type Secrecy = "secret" | "key-like" | "plain";

const SECRET_WORDS = new Set(
  (
    "password passwords passwd pwd passphrase passcode userpass secret secrets credential credentials authorization " +
    "bearer cookie cookies apikey apikeys secretkey privatekey accesskey authkey sshkey signingkey encryptionkey " +
    "clientsecret accesstoken refreshtoken idtoken authtoken apitoken sessionid sessionkey sessiontoken jwt csrf xsrf otp totp cvv cvc ssn " +
    "passwort kennwort contraseña motdepasse senha пароль 密码 パスワード"
  ).split(" "),
);
const SECRET_ALONE = new Set(["pin", "sid", "pass", "session", "auth_token"]);
const KEY_OWNERS = new Set(
  (
    "api private secret access signing signature encryption encrypt ssh master shared account storage service client " +
    "auth license licence hmac aes rsa ed25519 tls ssl pgp gpg deploy webhook token session recovery host"
  ).split(" "),
);
const PASS_OWNERS = new Set("user db database admin root login smtp proxy ftp ldap mysql pg redis".split(" "));
const SESSION_TAILS = new Set(["id", "key", "token", "cookie", "secret", "data", "value"]);
const KEY_LIKE_TAILS = new Set(
  "key keys hash signature sig auth code nonce salt hmac cert certificate token state ticket license".split(" "),
);
/** A key that ends in one of these describes a secret and does not hold it. */
const DESCRIBING_TAILS = new Set(
  (
    "name names namespace type types kind policy policies length count min max enabled disabled required expires expiry expiration " +
    "at endpoint age ttl timeout status state provider ref version algorithm path domain samesite httponly secure rotation created " +
    "updated mode limit usage used strength hint label placeholder title description days hours minutes seconds format scheme method"
  ).split(" "),
);
const QUANTITIES = new Set(
  "max min total num number prompt completion input output used count cached reasoning".split(" "),
);

/** Splits camelCase, snake_case, kebab-case and spaced names into lower-case words. */
export function wordsOf(key: string): string[] {
  return key
    .slice(0, 128)
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** Every word below contains one of these; most names do not. */
const MAY_PROMISE =
  /pass|pwd|secret|cred|auth|bearer|cookie|key|token|jwt|csrf|xsrf|otp|cv[vc]|ssn|pin|sid|session|hash|sig|code|nonce|salt|hmac|cert|state|ticket|licen|wort|motde|senha|contras|\P{ASCII}/iu;

/** Names repeat a great deal: columns, members of a list. */
const known = new Map<string, Secrecy>();
const KNOWN_MAX = 2000;

/** What a key or label promises about its value. */
export function secrecyOf(key: string): Secrecy {
  if (!MAY_PROMISE.test(key)) return "plain";
  const before = known.get(key);
  if (before !== undefined) return before;
  const secrecy = judged(key);
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(key, secrecy);
  return secrecy;
}

function judged(key: string): Secrecy {
  const words = wordsOf(key);
  const last = words.at(-1);
  if (last === undefined) return "plain";
  if (words.length > 1 && DESCRIBING_TAILS.has(last)) return "plain";
  if (words.some((word) => SECRET_WORDS.has(word)) || isSecretPhrase(words, last)) return "secret";
  return KEY_LIKE_TAILS.has(last) ? "key-like" : "plain";
}

/** A key whose value is worth showing even inside something secret (`credentials[].name`). */
export function describesOnly(key: string): boolean {
  const last = wordsOf(key).at(-1);
  return last !== undefined && DESCRIBING_TAILS.has(last);
}

function isSecretPhrase(words: readonly string[], last: string): boolean {
  if (words.length === 1 && SECRET_ALONE.has(last)) return true;
  if (last === "pass" && PASS_OWNERS.has(words.at(-2) ?? "")) return true;
  const token = words.some((word) => word === "token" || word === "tokens");
  if (token && !words.some((word) => QUANTITIES.has(word))) return true;
  const session = words.lastIndexOf("session");
  if (session >= 0 && (session === words.length - 1 || SESSION_TAILS.has(words[session + 1] ?? ""))) return true;
  const key = words.findLastIndex((word) => word === "key" || word === "keys");
  return key > 0 && KEY_OWNERS.has(words[key - 1] ?? "");
}
