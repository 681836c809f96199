import { describe, expect, test } from '@jest/globals';
import { type Judgement, judgeCommand } from '@zerd/core/permissions/commands/judge-command';
import { readRule, ruleText } from '@zerd/core/permissions/commands/rules';
import fc from 'fast-check';

const allowed = ['npm test *', 'npm run lint', './scripts/check *'].map((text) => {
  const rule = readRule(text);
  if (rule === undefined) throw new Error(text);
  return rule;
});

function check(command: string, expected: string) {
  expect(said(judgeCommand(command, allowed))).toBe(expected);
}

function said(judgement: Judgement): string {
  if (judgement.kind === 'ask') return ['ask', ...(judgement.always ?? []).map(ruleText)].join(' | ');
  const { paths, git } = judgement.reach;
  return [judgement.kind, ...paths.map((path) => JSON.stringify(path)), ...(git ? ['git'] : [])].join(' ');
}

describe('a command that only looks runs, and says at what it looks', () => {
  test.each([
    ['ls', 'look'],
    ['ls -la src', 'look "src"'],
    ['cat a.txt b.txt', 'look "a.txt" "b.txt"'],
    ["cat 'a b.txt'", 'look "a b.txt"'],
    ['cat /etc/passwd', 'look "/etc/passwd"'],
    ['head -20 a', 'look "a"'],
    ['tail -n +5 a', 'look "a"'],
    ['wc -l a', 'look "a"'],
    ['grep -rn "some text" src test', 'look "src" "test"'],
    ['grep -e one -e two a', 'look "a"'],
    ["rg -n --glob '*.ts' 'a|b' src", 'look "src"'],
    ['rg --files /etc', 'look "/etc"'],
    ["find . -name '*.ts' -type f", 'look "."'],
    ['find -maxdepth 2 ! -empty', 'look'],
    ['sed -n 1,20p a', 'look "a"'],
    ["sed -n '5p;10,$p' a", 'look "a"'],
    ['echo "done: 3 of 4"', 'look'],
    ['sort -u a | uniq -c | head -5', 'look "a"'],
    ['ls 2>/dev/null', 'look'],
    ['ls src 2>&1 | head', 'look "src"'],
    ['ls &>/dev/null; pwd', 'look'],
    ['cat a \\\n  b', 'look "a" "b"'],
    ['git status', 'look git'],
    ['git --no-pager log --oneline -5 | head a', 'look "a" git'],
    ['git diff main..feature -- src/a.ts', 'look "main..feature" "src/a.ts" git'],
    ['git show HEAD~2:src/a.ts', 'look "HEAD~2:src/a.ts" git'],
    ["printf '%-8s %5.1f%%\\n' a 1", 'look'],
    ['seq -s , 1 2 100', 'look'],
    ['git branch -a', 'look git'],
    ['git stash list', 'look git'],
  ])('%s', check);
});

describe('behind a cd the paths are those of the folder, where that is certain', () => {
  test.each([
    ['cd src && cat a', 'look "src" "src/a"'],
    ['cd src && cat a | head', 'look "src" "src/a"'],
    ['cd /repo && cat a', 'look "/repo" "/repo/a"'],
    ['cd a && cd b && ls c', 'look "a" "a/b" "a/b/c"'],
    // Where the cd fails, the others run where they were.
    ['cd src; cat ../a', 'look "src" "../a" "src/../a"'],
    ['cd src || cat ../a', 'look "src" "../a" "src/../a"'],
    ['cd src | cat ../a', 'look "src" "../a" "src/../a"'],
    ['cd src && npm test', 'run "src"'],
    ['cd && ls', 'ask | cd'],
    ['cd - && ls', 'ask | cd -'],
    ['cd a/../.. && ls', 'ask | cd a/../..'],
  ])('%s', check);
});

describe('a command that the user allowed runs', () => {
  test.each([
    ['npm test', 'run'],
    ['npm test -- --watch=false', 'run'],
    ['npm run lint', 'run'],
    ['npm run lint -- --fix', 'ask | npm run lint *'],
    ['npm run lint && npm test 2>&1 | tail -20', 'run'],
    ['"npm" test', 'run'],
    ['npm  tes\\t', 'run'],
    ['npm testing', 'ask | npm testing'],
    ['./scripts/check a b', 'run'],
    ['scripts/check', 'ask | scripts/check'],
    ['npm test && rm -rf /', 'ask | rm -rf /'],
    ['npm test > out.txt', 'ask'],
    ['npm test $(id)', 'ask'],
    ['npm test &', 'ask'],
    ['FOO=1 npm test', 'ask'],
  ])('%s', check);
});

describe('S-56: git looks where it is asked alone, in the folder of the repository', () => {
  test.each([
    ['cd inside && git status', 'ask | git status'],
    ['git status; cd inside', 'look "inside" git'],
    ['npm test && git status', 'ask | git status'],
  ])('%s', check);
});

describe('what is offered for good ends where further words change nothing of its kind', () => {
  test.each([
    ['npm run build', 'ask | npm run build *'],
    ['npm install left-pad', 'ask | npm install left-pad'],
    ['cargo test --all', 'ask | cargo test *'],
    ['npx tsc --noEmit && npx jest a.test.ts', 'ask | npx tsc * | npx jest *'],
    ['git commit -m "a b"', 'ask | git commit *'],
    ['git push --force', 'ask | git push --force'],
    ['make -C x', 'ask | make -C x'],
    ['make lint', 'ask | make lint *'],
    ['rm a; rm a', 'ask | rm a'],
    ['rm *.o', 'ask'],
    ['a; b; c; d', 'ask'],
    ['bash -c "npm test"', "ask | bash -c 'npm test'"],
    ["echo it's", 'ask'],
    ["./x 'it'\\''s'", "ask | ./x 'it'\\''s'"],
  ])('%s', check);
});

describe('S-40, S-46: the rest of a chain is judged too, and only the last step allows', () => {
  test.each([
    ['ls && id', 'ask | id'],
    ['ls; id', 'ask | id'],
    ['ls | sh', 'ask | sh'],
    ['ls & id', 'ask'],
    ['ls\nid', 'ask | id'],
    ['ls\rid', 'ask'],
    ['ls $(id)', 'ask'],
    ['ls `id`', 'ask'],
    ['cat <(id)', 'ask'],
    ['cat <<E\nx\nE', 'ask'],
    ['ls >~/.bashrc', 'ask'],
    ['ls >| a', 'ask'],
    ['ls &> a', 'ask'],
    ['ls > /dev/nullx', 'ask'],
    ['git commit -m x > ~/.bashrc', 'ask'],
    ['ls &&', 'ask'],
    ['ls ;; ls', 'ask'],
    ['', 'ask'],
  ])('%j', check);
});

describe('S-41: a doubt is asked', () => {
  test.each([
    ["echo $[ x='a[$(touch FLAG)]', x ]"],
    ['echo $((a[$(id)]))'],
    ['echo $' + '{x:-$(id)}'],
    ['echo "$HOME"'],
    ['echo "unbalanced'],
    ["echo 'unbalanced"],
    ['echo \ud800'],
    ['echo a\0b'],
    ['echo \u0001'],
    ['echo é'],
    ['echo {a,b}'],
    ['echo ~root'],
    ['! ls'],
    ['if ls; then id; fi'],
    ['time ls'],
    ['ls() { id; }; ls'],
    ['[[ -f a ]]'],
    ['ls # id'],
    ['coproc ls'],
  ])('%j', (command) => check(command, 'ask'));

  test('what is too long to be looked through', () => {
    check(`ls ${'a'.repeat(10_000)}`, 'ask');
    check('ls;'.repeat(51), 'ask');
  });
});

describe('S-43: programs that look, made to write or to run something', () => {
  test.each([
    ["sed 'w /x' a"],
    ["sed -n 'w /x' a"],
    ["sed -n '1e id' a"],
    ["sed 's/a/b/e' a"],
    ["sed -n 's/a/b/e' a"],
    ["sed -n '/a\nw x/p' a"],
    ['sed -i s/a/b/ a'],
    ['sed -n 1p a -i'],
    ['rg --pre sh x'],
    ['rg --pre=sh x'],
    ['rg -z x'],
    ['rg -L x'],
    ['rg --hostname-bin=x y'],
    ["find . -exec id ';'"],
    ['find . -delete'],
    ['find . -fprintf x y'],
    ['find . -okdir id'],
    ['find -L .'],
    ['sort --compress-program=sh a'],
    ['sort -o a b'],
    ['sort -oa b'],
    ['uniq a b'],
    ['grep -R x .'],
    ['grep -f list a'],
    ['file -C -m a'],
    ['git -c alias.x=!id x'],
    ['git -C / status'],
    ['git ls-remote --upload-pack=id .'],
    ['git diff --ext-diff'],
    ['git diff --output=x'],
    ['git diff --output x'],
    ['git diff -U --output=x'],
    ['git diff -M --output=x'],
    ['git diff -S --output=x'],
    ['git diff --no-index a b'],
    ['git diff /etc/passwd /etc/shadow'],
    ['git diff ../a ../b'],
    ['git log --outp=x'],
    ['git grep -O x'],
    ['git grep --open-files-in-pager=id x'],
    ['git branch x'],
    ['git branch -D x'],
    ['git tag x'],
    ['git remote add a b'],
    ['git stash'],
    ['git stash pop'],
    ['git reflog expire --all'],
    ['git worktree add x'],
    ['git config x y'],
    ['git'],
    ['man -P sh ls'],
    ['tar --checkpoint-action=exec=id -cf a b'],
    ["awk 'BEGIN{system(1)}'"],
    ['xargs id'],
    ['env id'],
    ['less a'],
    ['ls --help | less'],
    ['ls --colour'],
    ['ls --recurs'],
    ['ls *'],
    ['cat src/*.ts'],
    ['tail -f a'],
    ['tail +1f a'],
    ['date -s x'],
    ['printf -v PATH x'],
    ["printf 'aaa%n' PATH && ls"],
    ["printf '%5n' GIT_CONFIG_COUNT; git status"],
    ["printf '%hhn' PATH"],
    ["printf '\\\\%%n' PATH"],
    ["printf '%(%s)T'"],
    ["printf '%*d' 999999999 1"],
    ["printf '%999999999d' 1"],
    ['seq inf'],
    ['seq 1 99999999999'],
    ['seq 0 0.0001 1000'],
    ['seq -f %n 1 2'],
    ['command ls'],
    ['exec ls'],
    ['pushd src'],
    ['\\ls -x --y'],
  ])('%j', (command) => expect(judgeCommand(command, []).kind).toBe('ask'));
});

test.each([
  ["rm '*'", 'rm *'],
  ["rm '*' *", 'rm * b'],
  ["cat 'a?'", 'cat a?'],
])('the rule %j names a star, and does not allow %j, which names files', (rule, command) => {
  const read = readRule(rule);
  expect(read).toBeDefined();
  expect(judgeCommand(command, read ? [read] : []).kind).toBe('ask');
});

test('what is compared must be files: of folders the links in them would be followed', () => {
  expect(judgeCommand('cd sub && diff a b | head c', [])).toEqual({
    kind: 'look',
    reach: { paths: ['sub', 'sub/a', 'sub/b', 'sub/c'], files: ['sub/a', 'sub/b'], git: false },
  });
});

test('what is offered allows what was asked about, and reads as it was written', () => {
  const word = fc.stringMatching(/^[a-z0-9./ ';&$*"\\-]{0,6}$/);
  const command = fc.array(
    word.map((text) => `'${text.replaceAll("'", "'\\''")}'`),
    { minLength: 1, maxLength: 4 },
  );
  fc.assert(
    fc.property(fc.array(command, { minLength: 1, maxLength: 3 }), (commands) => {
      const text = commands.map((words) => words.join(' ')).join(' && ');
      const judged = judgeCommand(text, []);
      if (judged.kind !== 'ask' || judged.always === undefined) return;
      const written = judged.always.map(ruleText);
      const read = written.flatMap((rule) => readRule(rule) ?? []);
      expect(read).toEqual(judged.always);
      expect(judgeCommand(text, read).kind).toBe('run');
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['npm test', 'npm test'],
  ['npm  test   *', 'npm test *'],
  ['npm test *', 'npm test *'],
  ["'a b' c *", "'a b' c *"],
  ['a && b', undefined],
  ['a; *', undefined],
  ['a;', undefined],
  ['ls *.ts', undefined],
  ['*', undefined],
  ['', undefined],
  ['$(id)', undefined],
  ['a > b', undefined],
])('the rule %j is read as %j', (text, expected) => {
  const rule = readRule(text);
  expect(rule && ruleText(rule)).toBe(expected);
});
