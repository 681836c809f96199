/** Finds where a text stops being JSON. The engine's own message is not used: it quotes the text, and there are keys in it. */

/** 'line 3, column 5', counted from 1; undefined: the text is JSON. */
export function jsonFaultPlace(text: string): string | undefined {
  const fault = faultAt(text);
  if (fault === undefined) return undefined;
  const before = text.slice(0, fault).split('\n');
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}

const tokens = {
  space: /[ \t\n\r]*/y,
  scalar:
    /(?:"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y,
  name: /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y,
};

/** A walk over the grammar without recursion: `open` holds the brackets that are not closed yet. */
function faultAt(text: string): number | undefined {
  if (isJson(text)) return undefined;
  const open: string[] = [];
  let at = 0;
  let expects: 'value' | 'first value' | 'name' | 'first name' | 'next' = 'value';
  const skip = (token: RegExp): boolean => {
    token.lastIndex = at;
    const found = token.test(text);
    if (found) at = token.lastIndex;
    return found;
  };
  while (at < text.length) {
    skip(tokens.space);
    const mark = text[at];
    const closes = mark === '}' || mark === ']';
    if (closes && open.at(-1) === mark && expects !== 'value' && expects !== 'name') {
      at += 1;
      open.pop();
      expects = 'next';
    } else if (expects === 'next') {
      if (mark !== ',' || open.length === 0) return at;
      at += 1;
      expects = open.at(-1) === '}' ? 'name' : 'value';
    } else if (expects === 'name' || expects === 'first name') {
      if (!skip(tokens.name)) return at;
      skip(tokens.space);
      if (text[at] !== ':') return at;
      at += 1;
      expects = 'value';
    } else if (mark === '{' || mark === '[') {
      at += 1;
      open.push(mark === '{' ? '}' : ']');
      expects = mark === '{' ? 'first name' : 'first value';
    } else if (skip(tokens.scalar)) expects = 'next';
    else return at;
  }
  return text.length;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
