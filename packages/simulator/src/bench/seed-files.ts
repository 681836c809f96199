/**
 * The files that the seed script reads: three Go files of about 300 lines, a log of exactly 30,700 bytes (seed28: 28,000) and a bundle of
 * about 120 kB on one line. Made without chance: the same bytes on every run.
 */

export function seedFiles(logBytes = 30_700): ReadonlyMap<string, string> {
  return new Map([
    ['handler.go', goFile('handler', 'Handler')],
    ['store.go', goFile('store', 'Store')],
    ['router.go', goFile('router', 'Router')],
    ['test.log', testLog(logBytes)],
    ['bundle.min.js', bundle(120_000)],
  ]);
}

const verbs = ['open', 'read', 'parse', 'check', 'apply', 'write', 'close', 'retry', 'merge', 'drop', 'list', 'count'];
const things = ['record', 'session', 'header', 'token', 'batch', 'index', 'route', 'query', 'cursor', 'lease'];

/** 33 functions of nine lines; statements name the line that they stand on, so that `line 1` matches every third of them. */
export function goFile(name: string, type: string): string {
  const lines = [`package ${name}`, '', `type ${type} struct {`, '\tlimit int', '\tseen  map[string]int', '}', ''];
  const add = (code: string) => lines.push(`${code} // line ${lines.length + 1}`);
  for (let i = 0; lines.length < 300; i++) {
    const verb = pick(verbs, i);
    const thing = pick(things, i * 7 + name.length);
    const method = `${verb}${thing[0]?.toUpperCase()}${thing.slice(1)}${i}`;
    lines.push(
      `// ${method} will ${verb} the ${thing} numbered ${i * 13}, unless the limit of the ${name} is reached before that.`,
    );
    add(`func (x *${type}) ${method}(key string, n int) error {`);
    add(`\tif n > x.limit+${i} {`);
    add(`\t\treturn fmt.Errorf("${name}: ${verb} ${thing} %q failed", key)`);
    lines.push('\t}');
    add(`\tx.seen[key] += n * ${i + 1}`);
    add('\treturn nil');
    lines.push('}', '');
  }
  return `${lines.join('\n')}\n`;
}

export function testLog(bytes: number): string {
  let log = '';
  for (let i = 0; log.length < bytes; i++) {
    const test = `Test${pick(verbs, i)}${pick(things, i * 3)}${i}`;
    const outcome =
      i % 29 === 17
        ? `--- FAIL: ${test} (0.${10 + (i % 90)}s)\n    ${pick(things, i)}_test.go:${20 + i}: got ${i * 37}, want ${i * 37 + 1}`
        : `--- PASS: ${test} (0.${10 + (i % 90)}s)`;
    log += `=== RUN   ${test}\n${outcome}\n`;
  }
  return `${log.slice(0, bytes - 1)}\n`;
}

function bundle(bytes: number): string {
  let code = '"use strict";';
  for (let i = 0; code.length < bytes; i++) {
    const [verb, thing] = [pick(verbs, i), pick(things, i * 3)];
    code += `function ${verb}${i}(e,t){var n=e.${thing}||${i % 90};return t&&t.${verb}(n,e.${thing}),n}`;
  }
  return `${code}\n`;
}

function pick(words: readonly string[], i: number): string {
  return words[i % words.length] ?? '';
}
