/**
 * Takes out of a line what has the shape of a secret, or is one that is known. Invariant: a line of JSON stays one. It is
 * the last net: whoever writes a line passes no secret.
 */

const hidden = '[redacted]';
/** Shorter values are words, and lines without them could not be read. */
const shortest = 8;

export function concealSecrets(line: string, known: Iterable<string> = []): string {
  let text = line;
  for (const secret of known) {
    if (secret.length < shortest) continue;
    text = text.replaceAll(secret, hidden).replaceAll(JSON.stringify(secret).slice(1, -1), hidden);
  }
  return shapes.reduce((rest, [shape, instead]) => rest.replace(shape, instead), text).replace(named, hideValue);
}

/** Names of variables that hold what nobody else may know. */
const secretName = /(?:key|token|secret|passw(?:or)?d|passphrase|credential)s?$/i;

/** Of an environment: what must be in no line. */
export function secretsOf(env: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    secretName.test(name) && value.length >= shortest && !value.startsWith('/') ? [value] : [],
  );
}

const shapes: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[^"]*?(?:-----END [A-Z ]*PRIVATE KEY-----|(?="))/g, hidden],
  [/\b(?:sk|pk|rk)[-_][\w-]{16,}/g, hidden],
  [/\b(?:gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|npm_|hf_|AIza|AKIA|ASIA)[\w-]{16,}/g, hidden],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]+/g, hidden],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${hidden}`],
  // Of an address the user and the password.
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s"\\/@]+@/gi, `$1${hidden}@`],
];

/** `API_KEY=...`, `"token": "..."`, also within a string of JSON. */
const named =
  /([\w-]*(?:api[_-]?key|token|secret|passw(?:or)?d|authorization)(?:\\?["'])?\s*[:=]\s*(?:\\?["'])?)((?!Bearer |Basic |\[redacted\])[^\s"'\\,;&}]{6,})/gi;

/** A bare value of JSON is a number or a word of its own, and no text could stand there. */
function hideValue(whole: string, name: string): string {
  return /[^\\]"\s*:\s*$/.test(name) ? whole : `${name}${hidden}`;
}
