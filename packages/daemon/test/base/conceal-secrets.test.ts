import { expect, test } from '@jest/globals';
import { concealSecrets, secretsOf } from '../../src/base/conceal-secrets.ts';

const c = 'canary4711canary4711';

/** What was to be written, and what is. */
const cases: readonly (readonly [string, string])[] = [
  [`status 401: invalid key sk-ant-api03-${c}`, 'status 401: invalid key [redacted]'],
  [`ghp_${c} and github_pat_${c}`, '[redacted] and [redacted]'],
  [`AKIA${'A'.repeat(16)} xoxb-${c} AIza${c} glpat-${c}`, '[redacted] [redacted] [redacted] [redacted]'],
  [`Authorization: Bearer ${c}`, 'Authorization: Bearer [redacted]'],
  [`basic ${c}==`, 'basic [redacted]'],
  [`token eyJhbGciOiJI.eyJzdWIiOjEyMzQ.${c}`, 'token [redacted]'],
  [`fetch https://user:${c}@example.org/a.git`, 'fetch https://[redacted]@example.org/a.git'],
  [`OPENAI_API_KEY=${c} next`, 'OPENAI_API_KEY=[redacted] next'],
  [`{"password": "${c}"}`, '{"password": "[redacted]"}'],
  [`client_secret='${c}'`, "client_secret='[redacted]'"],
  [`-----BEGIN RSA PRIVATE KEY-----\n${c}\n-----END RSA PRIVATE KEY-----`, '[redacted]'],
  ['an odd one that is known: plain-words-only', 'an odd one that is known: [redacted]'],
  ['{"tokens": 1234567, "token": 1234567, "pid": 4}', '{"tokens": 1234567, "token": 1234567, "pid": 4}'],
  ['https://example.org/a@b, key: yes, the token ran out', 'https://example.org/a@b, key: yes, the token ran out'],
];

test('S-64: what looks like a secret, or is a known one, is in no line, and a line of JSON stays one', () => {
  for (const [text, told] of cases) {
    expect(concealSecrets(text, ['plain-words-only', 'short'])).toBe(told);
    const line = JSON.stringify({ level: 50, msg: text, error: { stack: `Error: ${text}\n    at x` } });
    const written = concealSecrets(line, ['plain-words-only']);
    expect(JSON.parse(written)).toMatchObject({ level: 50 });
    if (text !== told) expect(written).not.toMatch(/canary4711|plain-words/);
  }
});

test('S-64: of an environment only what is named a secret counts as one', () => {
  expect(
    secretsOf({
      SIM_KEY: c,
      DB_PASSWORD: c.toUpperCase(),
      SSH_KEY: '/home/me/.ssh/id',
      GIT_TOKEN: 'short',
      PATH: '/usr/bin:/bin',
    }),
  ).toEqual([c, c.toUpperCase()]);
});
