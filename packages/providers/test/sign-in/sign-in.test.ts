import { expect, test } from '@jest/globals';
import { systemClock } from '@zerd/protocol/node/clock';
import { type Attempt, authorizeUrl, newAttempt, readCallback } from '../../src/sign-in/authorize.ts';
import { claimsIn } from '../../src/sign-in/claims.ts';
import { newProof, proofFrom } from '../../src/sign-in/pkce.ts';
import { askDeviceCode, pollDevice, redeemCode, renewTokens, type Tokens } from '../../src/sign-in/tokens.ts';
import { codexWay, planWay, type Way } from '../../src/sign-in/ways.ts';
import { withGateway } from '../support/attempts.ts';
import type { Gateway, Respond } from '../support/gateway.ts';

/** RFC 7636, appendix B. */
const vector = Uint8Array.from([
  116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212, 37, 77, 105, 214, 191, 240, 91,
  88, 5, 88, 83, 132, 141, 121,
]);

test('the proof is that of RFC 7636, appendix B, and no two are alike', () => {
  expect(proofFrom(vector)).toEqual({
    verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  });
  expect(newProof().verifier).not.toBe(newProof().verifier);
});

const plan: Attempt = { way: planWay('5f7f'), proof: proofFrom(vector), state: 'the-state', nonce: 'the-nonce' };
const codex: Attempt = { ...plan, way: codexWay() };

test('golden: the documented way asks for its page', () => {
  const url = new URL(authorizeUrl(plan));
  expect(url.origin + url.pathname).toBe('https://auth.openai.com/api/accounts/authorize');
  expect(Object.fromEntries(url.searchParams)).toEqual({
    response_type: 'code',
    client_id: 'dynamic_agent_client',
    redirect_uri: 'http://127.0.0.1:1455/auth/callback',
    scope: 'openid profile email offline_access resource.invoke chatgpt.tokens.use.direct',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    state: 'the-state',
    nonce: 'the-nonce',
    resource: 'https://api.openai.com/v1',
    agent_name_hint: 'zerd',
    ext_agent_host_id: 'urn:uuid:5f7f',
  });
});

test("golden: the way of OpenAI's own client asks for its page", () => {
  const url = new URL(authorizeUrl(codex));
  expect(url.origin + url.pathname).toBe('https://auth.openai.com/oauth/authorize');
  expect(Object.fromEntries(url.searchParams)).toEqual({
    response_type: 'code',
    client_id: 'app_EMoamEEZ73f0CkXaXp7hrann',
    redirect_uri: 'http://localhost:1455/auth/callback',
    scope: 'openid profile email offline_access',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    state: 'the-state',
    id_token_add_organizations: 'true',
    codex_cli_simplified_flow: 'true',
    originator: 'zerd',
  });
});

test.each<[string, Attempt, string, object]>([
  [
    'a code and the client that was issued',
    plan,
    '/auth/callback?code=c1&state=the-state&client_id=issued',
    { kind: 'code', code: 'c1', clientId: 'issued' },
  ],
  [
    'a whole address, as it is pasted',
    codex,
    'http://localhost:1455/auth/callback?code=c1&state=the-state',
    { kind: 'code', code: 'c1', clientId: 'app_EMoamEEZ73f0CkXaXp7hrann' },
  ],
  ['another state', codex, '/auth/callback?code=c1&state=the-stat3', { kind: 'foreign' }],
  ['no state', codex, '/auth/callback?code=c1', { kind: 'foreign' }],
  ['an error of another attempt', codex, '/auth/callback?error=access_denied&state=x', { kind: 'foreign' }],
  ['another path', codex, '/callback?code=c1&state=the-state', { kind: 'foreign' }],
  ['no address', codex, 'http://[', { kind: 'foreign' }],
  [
    'a refusal',
    codex,
    '/auth/callback?error=access_denied&error_description=Not+now&state=the-state',
    { kind: 'refused', why: 'Not now' },
  ],
  ['no client where one must be issued', plan, '/auth/callback?code=c1&state=the-state', { kind: 'refused' }],
])('a callback with %s', (_, attempt, url, expected) => {
  expect(readCallback(attempt, url)).toMatchObject(expected);
});

function jwt(payload: object): string {
  return `eyJhbGciOiJub25lIn0.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.c2ln`;
}

test('the claims of a token are read where they are, and what is no token says nothing', () => {
  const auth = { chatgpt_account_id: 'acc-1', chatgpt_plan_type: 'plus' };
  const token = jwt({ exp: 1_800_000_000, email: 'a@b.c', nonce: 'n', 'https://api.openai.com/auth': auth });
  expect(claimsIn(token)).toEqual({
    exp: 1_800_000_000,
    email: 'a@b.c',
    accountId: 'acc-1',
    plan: 'plus',
    nonce: 'n',
  });
  for (const broken of ['', 'abc', 'a.b.c', `a.${Buffer.from('[1]').toString('base64url')}.c`])
    expect(claimsIn(broken)).toEqual({});
});

const parts = { clock: { ...systemClock, wall: () => 1_000_000 } };
const json =
  (status: number, body: object): Respond =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const at = (gateway: Gateway, way: Way): Way => ({
  ...way,
  tokenUrl: `${gateway.url}/token`,
  ...(way.device && {
    device: { ...way.device, codeUrl: `${gateway.url}/usercode`, pollUrl: `${gateway.url}/poll` },
  }),
});
const tokenOf = (account: string) => jwt({ 'https://api.openai.com/auth': { chatgpt_account_id: account } });
const before: Tokens = {
  access: tokenOf('acc-1'),
  refresh: 'old-refresh-token',
  clientId: 'issued',
  expiresAt: 0,
  email: 'a@b.c',
};
const granted = { access_token: 'new-access', refresh_token: 'new-refresh', expires_in: 3_600 };

test('golden: a code is redeemed with its verifier, the issued client and what the token is for', async () => {
  const idToken = jwt({ email: 'a@b.c', nonce: 'the-nonce' });
  await withGateway(json(200, { ...granted, id_token: idToken }), async (gateway) => {
    const attempt = { ...plan, way: at(gateway, plan.way) };
    expect(await redeemCode(attempt, { code: 'c1', clientId: 'issued' }, parts)).toEqual({
      kind: 'tokens',
      tokens: {
        access: 'new-access',
        refresh: 'new-refresh',
        clientId: 'issued',
        expiresAt: 4_600_000,
        issuedAt: 1_000_000,
        email: 'a@b.c',
      },
    });
    const [sent] = gateway.received;
    expect(sent?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(Object.fromEntries(new URLSearchParams(sent?.body))).toEqual({
      grant_type: 'authorization_code',
      code: 'c1',
      client_id: 'issued',
      redirect_uri: 'http://127.0.0.1:1455/auth/callback',
      code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
      resource: 'https://api.openai.com/v1',
    });
  });
});

test('an answer for another attempt is refused', async () => {
  await withGateway(json(200, { ...granted, id_token: jwt({ nonce: 'another' }) }), async (gateway) => {
    const attempt = { ...plan, way: at(gateway, plan.way) };
    expect(await redeemCode(attempt, { code: 'c1', clientId: 'x' }, parts)).toMatchObject({ kind: 'refused' });
  });
});

test.each<[string, Way]>([
  ['plan', planWay('5f7f')],
  ['codex', codexWay()],
])('golden: %s tokens are renewed, and the refresh token is the new one', async (name, way) => {
  await withGateway(json(200, granted), async (gateway) => {
    expect(await renewTokens(at(gateway, way), before, parts)).toMatchObject({
      kind: 'tokens',
      tokens: { access: 'new-access', refresh: 'new-refresh', expiresAt: 4_600_000, email: 'a@b.c' },
    });
    expect(Object.fromEntries(new URLSearchParams(gateway.received[0]?.body))).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'old-refresh-token',
      client_id: 'issued',
      ...(name === 'plan' ? { resource: 'https://api.openai.com/v1' } : {}),
    });
  });
});

test.each<[string, Respond, object]>([
  [
    'a refresh token that was used',
    json(400, { error: 'invalid_grant' }),
    { kind: 'refused', why: 'invalid_grant (status 400)' },
  ],
  [
    'one that is quoted',
    json(401, { error: { message: 'bad token old-refresh-token' } }),
    { kind: 'refused', why: 'bad token [key] (status 401)' },
  ],
  ['a provider that is down', json(503, {}), { kind: 'unreachable', why: 'status 503' }],
  ['a limit of the rate', json(429, {}), { kind: 'unreachable' }],
  [
    'a way elsewhere',
    (response) => void response.writeHead(307, { location: 'http://elsewhere.invalid/' }).end(),
    { kind: 'unreachable' },
  ],
  ['no tokens in it', json(200, { access_token: '' }), { kind: 'refused' }],
  [
    'a page in its place',
    (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in to the hotel'),
    { kind: 'unreachable', why: 'the answer is no JSON (status 200)' },
  ],
  [
    'a page that forbids',
    (response) => void response.writeHead(403, { 'content-type': 'text/html' }).end('<html>Are you human?'),
    { kind: 'unreachable', why: 'the answer is no JSON (status 403)' },
  ],
  [
    'an answer without end',
    (response) => void response.writeHead(200).end(JSON.stringify({ ...granted, more: 'x'.repeat(2_000_000) })),
    { kind: 'unreachable', why: 'the answer is no JSON (status 200)' },
  ],
  [
    'a token of another account',
    json(200, { ...granted, access_token: tokenOf('acc-2') }),
    { kind: 'refused', why: 'the token that came is of another account' },
  ],
  ['a token that no header holds', json(200, { ...granted, access_token: 'new\r\nx-evil: 1' }), { kind: 'refused' }],
])('S-64: what a provider answers to %s is told without any token', async (_, respond, expected) => {
  await withGateway(respond, async (gateway) => {
    const answer = await renewTokens(at(gateway, codexWay()), before, parts);
    expect(answer).toMatchObject(expected);
    expect(JSON.stringify(answer)).not.toContain('old-refresh-token');
  });
});

test.each<[string, unknown, number]>([
  ['an hour', 3_600, 3_600_000],
  ['a time that is over', -5, 3_600_000],
  ['no time at all', 1e306, 365 * 86_400_000],
  ['something else', 'soon', 3_600_000],
])('a token that lasts %s ends at a time that can be kept', async (_, expires_in, lives) => {
  await withGateway(json(200, { ...granted, expires_in }), async (gateway) => {
    const answer = await renewTokens(at(gateway, codexWay()), before, parts);
    expect(answer).toMatchObject({ kind: 'tokens', tokens: { expiresAt: 1_000_000 + lives } });
  });
});

test.each<[string, Respond, string]>([
  ['is busy', json(429, {}), 'unreachable'],
  ['is down', json(502, {}), 'unreachable'],
  ['shows a page', (response) => void response.writeHead(200).end('<html>'), 'unreachable'],
  ['says no', json(400, { error: 'expired_token' }), 'refused'],
])('on another device: a provider that %s while the code is typed', async (_, respond, kind) => {
  await withGateway(respond, async (gateway) => {
    const way = at(gateway, codexWay());
    if (way.device === undefined) throw new Error('there is no such way');
    const code = { userCode: 'AB-12', deviceId: 'dev-1', everyMs: 1 };
    expect(await pollDevice(way, way.device, code, parts)).toMatchObject({ kind });
  });
});

test('on another device: asked to wait for ever, zerd asks once a minute', async () => {
  await withGateway(json(200, { user_code: 'A', device_auth_id: 'd', interval: 1e300 }), async (gateway) => {
    const way = at(gateway, codexWay());
    if (way.device === undefined) throw new Error('there is no such way');
    expect(await askDeviceCode(way, way.device, parts)).toMatchObject({ everyMs: 60_000 });
  });
});

test('on another device: the code, the wait, and the tokens', async () => {
  let polls = 0;
  const answers: Respond = (response, received) => {
    if (received.path === '/usercode')
      return json(200, { user_code: 'AB-12', device_auth_id: 'dev-1', interval: '2' })(response, received);
    if (received.path === '/poll' && polls++ === 0) return json(403, {})(response, received);
    if (received.path === '/poll')
      return json(200, { authorization_code: 'c1', code_verifier: 'their-verifier' })(response, received);
    return json(200, granted)(response, received);
  };
  await withGateway(answers, async (gateway) => {
    const way = at(gateway, codexWay());
    if (way.device === undefined) throw new Error('there is no such way');
    const code = await askDeviceCode(way, way.device, parts);
    expect(code).toEqual({ userCode: 'AB-12', deviceId: 'dev-1', everyMs: 2_000 });
    if ('why' in code) throw new Error(code.why);
    expect(await pollDevice(way, way.device, code, parts)).toEqual({ kind: 'pending' });
    expect(await pollDevice(way, way.device, code, parts)).toMatchObject({ kind: 'tokens' });
    const sent = gateway.received.map(({ path, body }) => [path, body]);
    expect(sent[1]).toEqual(['/poll', '{"device_auth_id":"dev-1","user_code":"AB-12"}']);
    expect(Object.fromEntries(new URLSearchParams(sent[3]?.[1]))).toMatchObject({
      code_verifier: 'their-verifier',
      redirect_uri: 'https://auth.openai.com/deviceauth/callback',
    });
  });
});

test('two attempts share nothing', () => {
  const [a, b] = [newAttempt(codexWay()), newAttempt(codexWay())];
  expect([a.state === b.state, a.nonce === b.nonce]).toEqual([false, false]);
});
