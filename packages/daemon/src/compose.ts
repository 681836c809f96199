/** Puts the rooms of one repository's daemon together. The only place that knows them all. */

import { join } from 'node:path';
import { isZerdError } from '@zerd/protocol/common/errors';
import { jobIdSchema } from '@zerd/protocol/common/ids';
import { zerdVersion } from '@zerd/protocol/common/version';
import { loadLate } from '@zerd/protocol/node/load-late';
import { configFolder } from '@zerd/protocol/node/paths';
import { buildName } from './base/build-name.ts';
import { createWaits } from './base/waits.ts';
import { loadConfig } from './config/load.ts';
import { providerKeyNames } from './config/models.ts';
import { networkOf } from './config/network.ts';
import { viewConfig } from './config/view.ts';
import { viewKeys } from './config/view-keys.ts';
import { findKeychain } from './credentials/keychain.ts';
import type { OpenCallback } from './credentials/logins.ts';
import { openCredentials } from './credentials/open-credentials.ts';
import { checkJobs } from './jobs/check-jobs.ts';
import { createJobs } from './jobs/create-jobs.ts';
import { openHostProcess } from './jobs/host-process.ts';
import { checkLogin } from './login/check-login.ts';
import { loginManager } from './login/manager.ts';
import { checkMcp } from './mcp/check-mcp.ts';
import { createMcp } from './mcp/create-mcp.ts';
import { openGrants } from './permissions/grants.ts';
import { openTrust } from './permissions/trust.ts';
import { checkRules } from './rules/check-rules.ts';
import { createRunner } from './runner/create-runner.ts';
import { newId } from './runner/new-id.ts';
import { createProbedWindows } from './runner/probed-windows.ts';
import type { ClientEnv } from './runner/runner.ts';
import { checkSkills, listSkills, skillWarnings } from './runner/skills.ts';
import { ownEnv, toolEnv } from './runner/tool-env.ts';
import { windowWarnings } from './runner/window.ts';
import { usualWatch } from './search/fresh/usual-watch.ts';
import { checkIndex } from './search/index-report.ts';
import { openSearch } from './search/open-search.ts';
import type { ComposeBase } from './serve.ts';
import type { House } from './server/house.ts';
import { checkArchive, checkDisk, checkStore } from './store/check-store.ts';
import { openStore } from './store/open.ts';
import { createFileWatches } from './watch/chokidar.ts';
import { checkInstallation } from './zerdd/check-installation.ts';

const loadCallback = loadLate(() => import('./web/open-callback.ts'));
const loadIndex = loadLate(() => import('./search/index/open-index.ts'));

/** The caller holds the repository's lock. Rejects with store_unsafe or store_failed and leaves nothing open. */
export async function compose({ env, beats, ...base }: ComposeBase): Promise<House> {
  const { root, stateFolder, clock, log } = base;
  const store = await openStore({ folder: stateFolder, clock, log });
  const trust = openTrust(stateFolder, root);
  // Read anew each time: a user mends the file while the daemon runs.
  const keychain = findKeychain({ platform: process.platform, env, clock });
  const network = () => networkOf(env);
  // Loaded only when somebody signs in.
  const openCallback: OpenCallback = async (...wish) => (await loadCallback()).openCallback(...wish);
  const credentials = openCredentials({ folder: configFolder(env), keychain, clock, log, openCallback, network });
  const today = () => new Date(clock.wall()).toISOString().slice(0, 10);
  const readConfig = () => ({ ...loadConfig({ env }), today: today(), stored: credentials.stored });
  const grants = openGrants({ stateFolder, root, configured: () => readConfig().commands });
  const search = openSearch({
    root,
    stateFolder,
    clock,
    idleClock: beats,
    log,
    policy: () => readConfig().searchIndex,
    openWatch: usualWatch(clock),
    loadIndex: async () => (await loadIndex()).openIndex,
  });
  const openFileWatch = createFileWatches(root);
  const windows = createProbedWindows(clock);
  const jobsFolder = join(stateFolder, 'jobs');
  const newJobId = () => jobIdSchema.parse(newId('job', clock));
  const waits = createWaits(clock);
  const openHost = openHostProcess(jobsFolder);
  const jobs = createJobs({ folder: jobsFolder, store, clock, idleClock: beats, log, waits, newJobId, openHost });
  const mcp = createMcp({
    root,
    stateFolder,
    clock,
    idleClock: beats,
    log,
    trusted: trust.trusted,
    settings: () => readConfig().mcp,
    toolEnv: (clientEnv) => toolEnv(clientEnv, providerKeyNames(readConfig())),
    network: networkOf,
  });
  const ground = { root, store, trust, grants, readConfig, clock, log, env: ownEnv(env, readConfig()) };
  let build: { readonly name: string | undefined } | undefined;
  const foldBuild = () => {
    build ??= { name: buildName() };
    return build.name;
  };
  const runner = createRunner({ ...ground, search, mcp, jobs, openFileWatch, windows, waits, foldBuild });
  const view = (clientEnv: ClientEnv) => viewConfig(readConfig(), clientEnv, windows.known);
  const config = {
    warnings: (clientEnv: ClientEnv) => [...view(clientEnv).warnings, ...windowWarnings(clientEnv)],
    skills: (clientEnv: ClientEnv) => listSkills({ root, trust, readConfig }, clientEnv),
    async read(clientEnv: ClientEnv) {
      const skills = await skillWarnings({ root, trust, readConfig }, clientEnv);
      return { ...view(clientEnv), warnings: [...config.warnings(clientEnv), ...skills] };
    },
  };
  const checks = [
    { name: 'installation', run: checkInstalled },
    { name: 'store', run: async () => checkStore(store, stateFolder) },
    { name: 'archive', run: () => checkArchive(stateFolder) },
    { name: 'disk', run: () => checkDisk(stateFolder) },
    { name: 'jobs', run: async () => checkJobs(jobs) },
    { name: 'login', run: async () => checkLogin(env, root, loginManager(env).file) },
    { name: 'index', run: async () => checkIndex(await search.indexStatus()) },
    {
      name: 'rules',
      run: () => checkRules(trust.trusted() ? root : undefined, { named: readConfig().rules.files ?? [] }),
    },
    { name: 'outside tools', run: async () => checkMcp(mcp) },
    { name: 'skills', run: () => checkSkills({ root, trust, readConfig }, env) },
  ];
  const auth = { status: (clientEnv: ClientEnv) => viewKeys(readConfig(), clientEnv, credentials), credentials };
  return Object.freeze({ ...base, search, mcp, checks, store, runner, jobs, trust, grants, config, auth });
}

async function checkInstalled() {
  try {
    await checkInstallation();
    return { ok: true, says: `zerd ${zerdVersion} on Node ${process.versions.node} is whole.` };
  } catch (error) {
    if (!isZerdError(error)) throw error;
    return { ok: false, says: (error as Error).message, todo: 'Install zerd again.' };
  }
}
