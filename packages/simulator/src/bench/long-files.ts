/**
 * The repository of the long script: 40 Go files of about 300 lines, of which 30 count one thing wrongly, a test script
 * that names each wrong one until it is mended, and one big log. Made without chance: the same bytes on every run.
 */
import { goFile, testLog } from './seed-files.ts';

export interface Mend {
  readonly path: string;
  readonly old: string;
  readonly new: string;
}

const fileCount = 40;
const mendCount = 30;

export const longPaths: readonly string[] = Array.from({ length: fileCount }, (_, i) => `${nameOf(i)}/${nameOf(i)}.go`);

/** One for each of the first 30 files, at another place in each; every third one spans several lines. */
export function longMends(): readonly Mend[] {
  return longPaths.slice(0, mendCount).map((path, i) => mendOf(path, i));
}

export function longFiles(): ReadonlyMap<string, string> {
  return new Map([
    ...longPaths.map((path, i) => [path, sourceOf(i)] as const),
    ['test.sh', testScript()],
    ['build.log', testLog(60_000)],
  ]);
}

/** Long's repository with rules of 6,000 lines at its root. */
export function rulesFiles(): ReadonlyMap<string, string> {
  return new Map([...longFiles(), ['AGENTS.md', rulesText(6_000)]]);
}

function nameOf(i: number): string {
  const areas = ['order', 'stock', 'price', 'cart', 'user', 'mail', 'audit', 'route', 'cache', 'queue'];
  const parts = ['store', 'model', 'check', 'serve'];
  return `${areas[i % areas.length]}${parts[Math.floor(i / areas.length)]}`;
}

function sourceOf(i: number): string {
  return goFile(nameOf(i), `${nameOf(i)[0]?.toUpperCase()}${nameOf(i).slice(1)}`);
}

/** The counting lines of a file are its only ones with `+=`; the mend stands at one of them. */
function mendOf(path: string, i: number): Mend {
  const lines = sourceOf(i).split('\n');
  const counting = lines.flatMap((line, at) => (line.includes('+= n *') ? [at] : []));
  const at = counting[(i * 7 + 3) % counting.length] ?? 0;
  const span = i % 3 === 2 ? 3 : 1;
  const old = lines.slice(at, at + span);
  const [counter = '', ...behind] = old;
  const guarded = [counter.replace('+= n *', '+= count *'), ...behind];
  const added = span === 1 ? [] : ['\tif n < 0 {', `\t\treturn fmt.Errorf("${path}: %d is below zero", n)`, '\t}'];
  return { path, old: old.join('\n'), new: [...added, ...guarded].join('\n') };
}

/** Prints about 6 kB, of which one mend changes a few lines; ends with 1 while something is wrong. */
function testScript(): string {
  const checks = longMends().map(({ path }, i) => `check ${path} Test${path.split('/')[0]} ${i + 1}`);
  return `failed=0
check() {
  for part in open read write; do echo "--- PASS: $2/$part (0.$((10 + $3))s)"; done
  if grep -q 'count \\*' "$1"; then
    echo "--- PASS: $2/count (0.$((10 + $3))s)"
  else
    echo "--- FAIL: $2/count (0.$((10 + $3))s)"
    echo "    $1:$((20 + $3)): counted $((37 * $3)), want $((37 * $3 + 1))"
    failed=$((failed + 1))
  fi
}
${checks.join('\n')}
if [ $failed -gt 0 ]; then echo "FAIL: $failed of ${mendCount} packages"; exit 1; fi
echo "ok: ${mendCount} packages"
`;
}

function rulesText(lines: number): string {
  const topics = ['names', 'errors', 'tests', 'logs', 'imports', 'comments', 'commits', 'reviews'];
  const text = Array.from({ length: lines }, (_, i) =>
    i % 40 === 0
      ? `## ${i / 40 + 1}. About ${topics[(i / 40) % topics.length]}`
      : `- Rule ${i}: keep ${topics[i % topics.length]} of part ${i % 97} short and plain.`,
  );
  return `${text.join('\n')}\n`;
}
