/** Names a tool call in a few words of one line: the tool and what it is applied to. Long arguments are shortened. */

/** `inputJson` is the model's own text: it may be broken. */
export function callLabel(name: string, inputJson: string): string {
  const subject = subjectOf(name, parse(inputJson)) ?? inputJson;
  return subject === '' || subject === '{}' ? name : `${name} ${shorten(subject)}`;
}

const longest = 100;

function shorten(text: string): string {
  const characters = [...text];
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : text;
}

type Fields = Readonly<Record<string, unknown>>;

function parse(json: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
  } catch {
    // A label is asked for, not a verdict: the caller shows the text as it came.
    return undefined;
  }
}

function subjectOf(name: string, input: Fields | undefined): string | undefined {
  if (input === undefined) return undefined;
  const text = (field: string) => (typeof input[field] === 'string' ? input[field] : undefined);
  switch (name) {
    case 'read':
      return joined(text('path'), lines(input));
    case 'search':
      return joined(quoted(text('pattern')), prefixed('in ', text('path')), prefixed('of ', text('glob')));
    case 'find':
      return quoted(text('pattern'));
    case 'shell':
      return text('command');
    case 'recall':
      return joined(text('id'), quoted(text('pattern')), lines(input));
    case 'notes':
      return Object.keys(input).join(', ');
    case 'todo':
      return steps(text('list'));
    case 'task':
      return text('title') ?? text('prompt');
    case 'skill':
      return text('name');
    case 'question':
      return text('text')?.split('\n', 1)[0];
    case 'mcp':
      return joined(text('tool') ?? prefixed('find ', quoted(text('find'))), compact(input.arguments));
    case 'jobs':
      return joined(text('action'), text('id'));
    default:
      return text('path');
  }
}

function compact(value: unknown): string | undefined {
  const text = value === undefined ? '{}' : JSON.stringify(value);
  return text === '{}' ? undefined : text;
}

function lines({ offset, limit }: Fields): string | undefined {
  const first = typeof offset === 'number' ? offset : 1;
  if (typeof limit === 'number') return `${first}-${first + limit - 1}`;
  return typeof offset === 'number' ? `from ${first}` : undefined;
}

/** Where the plan stands, not what it says: its lines follow. */
function steps(list: string | undefined): string | undefined {
  const states = list?.match(/^\s*(?:[-*] +)?\[[ >xX]\]/gm) ?? [];
  const done = states.filter((state) => /x\]$/i.test(state)).length;
  return states.length === 0 ? undefined : `${done} of ${states.length} done`;
}

function quoted(text: string | undefined): string | undefined {
  return text === undefined ? undefined : `'${text}'`;
}

function prefixed(prefix: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : `${prefix}${text}`;
}

function joined(...parts: readonly (string | undefined)[]): string | undefined {
  const present = parts.filter((part) => part !== undefined);
  return present.length === 0 ? undefined : present.join(' ');
}
