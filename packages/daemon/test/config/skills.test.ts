import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { loadConfig } from '@zerd/daemon/config/load';
import { skillSettings } from '@zerd/daemon/config/skills';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'config-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function settings(skills: object | undefined, env: Readonly<Record<string, string>> = {}) {
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ skills }));
  const config = loadConfig({ env: { ZERD_CONFIG_DIR: folder } });
  return { broken: config.broken, ...skillSettings(config, env) };
}

test('the user’s skills lie beside their configuration and in the home folder of the client', () => {
  expect(settings(undefined)).toEqual({ broken: undefined, userFolders: [folder], exclude: [], limit: undefined });
  expect(settings(undefined, { HOME: '/own/u' }).userFolders).toEqual([folder, '/own/u/.claude', '/own/u/.agents']);
  // Relative, it would mean another folder in every process.
  expect(settings(undefined, { HOME: 'u' }).userFolders).toEqual([folder]);
});

test('the environment of the client says how much the list may take before the file does', () => {
  expect(settings({ limit: 500, exclude: ['gmail-*'] })).toMatchObject({ limit: 500, exclude: ['gmail-*'] });
  expect(settings({ limit: 500 }, { ZERD_SKILL_LIMIT: ' 0 ' }).limit).toBe(0);
  expect(settings({ limit: 500 }, { ZERD_SKILL_LIMIT: '' }).limit).toBe(500);
  for (const value of ['-1', '1.5', 'many', '100001', '0x10', '1e3'])
    expect(() => settings({}, { ZERD_SKILL_LIMIT: value })).toThrow(/ZERD_SKILL_LIMIT is ".+", but has to be a number/);
});

test('a limit that cannot be one breaks the file with its place', () => {
  expect(settings({ limit: -1 }).broken).toMatch(/skills\.limit/);
  expect(settings({ exclude: 'x' }).broken).toMatch(/skills\.exclude/);
});
