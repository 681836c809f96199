/**
 * Does: puts the supervisor into the hands of systemd or launchd, and takes it out again. Invariant: what the manager
 * refuses is said in its own words, and a file that was written for it is then removed.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { Env } from '@zerd/protocol/node/paths';
import { agentLabel, type LoginProgram, launchdAgent, systemdUnit, unitName } from './unit.ts';

export interface LoginManager {
  readonly name: string;
  /** What was written for it. */
  readonly file: string;
  /** Why it cannot be used here; undefined: it can. */
  unavailable(): Promise<string | undefined>;
  /** Starts the supervisor now and at every login; one that runs reads its list again. Rejects with ZerdError. */
  enable(program: LoginProgram): Promise<void>;
  /** One that runs reads its list again. */
  reload(): Promise<void>;
  disable(): Promise<void>;
}

/** Settles with the exit code and what was said. */
type RunCommand = (
  command: string,
  args: readonly string[],
) => Promise<{ readonly code: number; readonly said: string }>;

export function loginManager(env: Env, platform: NodeJS.Platform = process.platform): LoginManager {
  return platform === 'darwin' ? launchd(env, runCommand(env)) : systemd(env, runCommand(env));
}

function systemd(env: Env, run: RunCommand): LoginManager {
  const file = join(env.XDG_CONFIG_HOME ?? join(env.HOME ?? homedir(), '.config'), 'systemd', 'user', unitName);
  const systemctl = (...args: readonly string[]) => run('systemctl', ['--user', ...args]);
  const reload = async () => {
    await systemctl('kill', '--kill-who=main', '--signal=SIGHUP', unitName);
  };
  return {
    name: 'systemd',
    file,
    reload,
    async unavailable() {
      const { code, said } = await systemctl('show-environment');
      return code === 0 ? undefined : `no systemd user manager answers here (${said || `exit ${code}`})`;
    },
    async enable(program) {
      write(file, systemdUnit(program));
      await mustRun(systemctl, file, 'daemon-reload');
      await mustRun(systemctl, file, 'enable', '--now', unitName);
      await reload();
    },
    async disable() {
      await systemctl('disable', '--now', unitName);
      rmSync(file, { force: true });
      await systemctl('daemon-reload');
    },
  };
}

function launchd(env: Env, run: RunCommand): LoginManager {
  const file = join(env.HOME ?? homedir(), 'Library', 'LaunchAgents', `${agentLabel}.plist`);
  const { uid } = userInfo();
  // Over ssh there is no gui domain.
  const domains = [`gui/${uid}`, `user/${uid}`];
  const launchctl = (...args: readonly string[]) => run('launchctl', args);
  const inEach = async (act: (domain: string) => ReturnType<RunCommand>) => {
    let last = { code: 1, said: '' };
    for (const domain of domains) {
      last = await act(domain);
      if (last.code === 0) break;
    }
    return last;
  };
  const reload = async () => {
    await inEach((domain) => launchctl('kill', 'SIGHUP', `${domain}/${agentLabel}`));
  };
  return {
    name: 'launchd',
    file,
    reload,
    async unavailable() {
      const { code, said } = await launchctl('help');
      return code === 0 ? undefined : `launchctl does not answer (${said || `exit ${code}`})`;
    },
    async enable(program) {
      write(file, launchdAgent(program));
      await inEach((domain) => launchctl('bootout', `${domain}/${agentLabel}`));
      const { code, said } = await inEach((domain) => launchctl('bootstrap', domain, file));
      if (code !== 0) throw refused(file, `launchctl bootstrap: ${said || `exit ${code}`}`);
    },
    async disable() {
      await inEach((domain) => launchctl('bootout', `${domain}/${agentLabel}`));
      rmSync(file, { force: true });
    },
  };
}

async function mustRun(
  systemctl: (...args: readonly string[]) => ReturnType<RunCommand>,
  file: string,
  ...args: readonly string[]
): Promise<void> {
  const { code, said } = await systemctl(...args);
  if (code !== 0) throw refused(file, `systemctl --user ${args.join(' ')}: ${said || `exit ${code}`}`);
}

function refused(file: string, why: string): ZerdError {
  rmSync(file, { force: true });
  return new ZerdError('daemon_unavailable', `The start at login was not set up: ${why}. ${file} was removed again.`);
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: 0o644 });
}

const answerMs = 30_000;

function runCommand(env: Env): RunCommand {
  return (command, args) =>
    new Promise((resolve) => {
      execFile(command, [...args], { env: { ...env }, timeout: answerMs }, (error, stdout, stderr) => {
        const said = `${stderr}${stdout}`.trim().split('\n')[0] ?? '';
        const missing = (error as NodeJS.ErrnoException | null)?.code === 'ENOENT';
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ code, said: missing ? `${command} is not there` : said });
      });
    });
}
