import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from '@jest/globals';
import type { Network } from '@zerd/providers/provider';
import { loadConfig } from '../../src/config/load.ts';
import { resolveModel } from '../../src/config/models.ts';
import { networkOf, networkWarnings } from '../../src/config/network.ts';
import { viewConfig } from '../../src/config/view.ts';

const folder = mkdtempSync(join(tmpdir(), 'zerd-network-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const authority = fileURLToPath(new URL('../../../providers/test/support/tls/authority.pem', import.meta.url));

function check(env: Record<string, string>, expected: Network | undefined): void {
  expect(networkOf(env)).toEqual(expected);
}

test('proxies are read in either case, small letters first, and empty ones are none', () => {
  check({}, undefined);
  check({ HTTPS_PROXY: 'http://a:1' }, { httpsProxy: 'http://a:1' });
  check({ https_proxy: 'http://b:1', HTTPS_PROXY: 'http://a:1' }, { httpsProxy: 'http://b:1' });
  check({ http_proxy: ' ', HTTP_PROXY: 'c:1', NO_PROXY: 'd, e' }, { httpProxy: 'c:1', noProxy: 'd, e' });
});

test('certificates of NODE_EXTRA_CA_CERTS are read; what cannot be used is said and counts for nothing', () => {
  expect(networkOf({ NODE_EXTRA_CA_CERTS: authority })?.extraCa).toMatch(/^-----BEGIN CERTIFICATE-----/);
  expect(networkWarnings({ NODE_EXTRA_CA_CERTS: authority })).toEqual([]);
  const junk = join(folder, 'junk.pem');
  writeFileSync(junk, 'no certificate');
  for (const [file, why] of [
    [join(folder, 'gone.pem'), `${join(folder, 'gone.pem')} cannot be read (ENOENT)`],
    [junk, `${junk} is no certificate`],
    ['ca.pem', 'ca.pem is no absolute path'],
  ] as const) {
    check({ NODE_EXTRA_CA_CERTS: file }, undefined);
    const { warnings } = viewConfig(loadConfig({ env: { ZERD_CONFIG_DIR: folder } }), { NODE_EXTRA_CA_CERTS: file });
    expect(warnings).toEqual([`NODE_EXTRA_CA_CERTS has no effect: ${why}.`]);
  }
});

test("a model is reached by the client's network, whatever the daemon's own environment says", () => {
  const config = loadConfig({ env: { ZERD_CONFIG_DIR: folder, HTTPS_PROXY: 'http://daemon:1' } });
  const env = { ANTHROPIC_API_KEY: 'k', HTTPS_PROXY: 'http://client:1', no_proxy: '*.corp' };
  expect(resolveModel(config, 'anthropic/claude-opus-5-5', env).endpoint).toEqual({
    wire: 'anthropic',
    apiKey: 'k',
    diagnosis: 'anthropic',
    network: { httpsProxy: 'http://client:1', noProxy: '*.corp' },
  });
});
