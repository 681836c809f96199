/** Finds what a file of settings names twice in one place: of these JSON keeps the last, silently. */

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

interface Open {
  /** Undefined: a list. */
  readonly names: Set<string> | undefined;
  /** The name or the number of the value that is being read. */
  at: string;
  expectsName: boolean;
}

/** Their places, as `providers.local.price`, each once. `text` is JSON. */
export function twiceNamed(text: string): readonly string[] {
  const open: Open[] = [];
  const found = new Set<string>();
  for (const [token] of text.matchAll(tokens)) {
    const top = open.at(-1);
    if (token === '{') open.push({ names: new Set(), at: '', expectsName: true });
    else if (token === '[') open.push({ names: undefined, at: '0', expectsName: false });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',' && top !== undefined) goOn(top);
    else if (top?.expectsName === true && top.names !== undefined) {
      top.at = String(JSON.parse(token));
      top.expectsName = false;
      if (top.names.has(top.at)) found.add(open.map(({ at }) => at).join('.'));
      top.names.add(top.at);
    }
  }
  return [...found];
}

function goOn(top: Open): void {
  if (top.names === undefined) top.at = String(Number(top.at) + 1);
  else top.expectsName = true;
}
