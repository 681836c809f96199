/**
 * Writes what starts zerd's supervisor at login: a systemd user unit, or a launchd agent for macOS. Pure. Invariants: no
 * path can end its own field, and what is written runs the very program that wrote it, whatever PATH is at login.
 * Sources: systemd.service(5), systemd.unit(5), launchd.plist(5), read 2026-11-29.
 */

export interface LoginProgram {
  /** Absolute. */
  readonly node: string;
  readonly zerdd: string;
  /** Variables that say where zerd's folders are; no others are handed on. */
  readonly env: Readonly<Record<string, string>>;
}

export const unitName = 'zerd.service';
export const agentLabel = 'dev.zerd.supervisor';

/** The supervisor tells systemd within half of this that its event loop turns. */
const watchdogSeconds = 120;

export function systemdUnit({ node, zerdd, env }: LoginProgram): string {
  return [
    '[Unit]',
    'Description=zerd: the daemons of the registered repositories',
    // A crash loop becomes a failure that is seen, not a fire.
    'StartLimitIntervalSec=600',
    'StartLimitBurst=5',
    '',
    '[Service]',
    'Type=notify',
    // systemd-notify speaks for the supervisor.
    'NotifyAccess=all',
    `ExecStart=${[node, zerdd, 'supervise'].map(systemdWord).join(' ')}`,
    ...Object.entries(env).map(([name, value]) => `Environment=${systemdWord(`${name}=${value}`)}`),
    'Restart=on-failure',
    'RestartSec=5',
    `WatchdogSec=${watchdogSeconds}`,
    // Commands that run on in the background outlive a restart; the supervisor ends its own daemons.
    'KillMode=process',
    'OOMPolicy=continue',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ].join('\n');
}

/** One word of a command line: `%` and `$` mean nothing special, quotes and backslashes stand for themselves. */
function systemdWord(text: string): string {
  const escaped = text.replace(/[\\"]/g, '\\$&').replace(/%/g, '%%').replace(/\$/g, '$$$$').replace(/\n/g, '\\n');
  return `"${escaped}"`;
}

export function launchdAgent({ node, zerdd, env }: LoginProgram): string {
  const text = (value: string) => `<string>${xml(value)}</string>`;
  const variables = Object.entries(env).flatMap(([name, value]) => [
    `    <key>${xml(name)}</key>`,
    `    ${text(value)}`,
  ]);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    `  <key>Label</key>\n  ${text(agentLabel)}`,
    '  <key>ProgramArguments</key>',
    '  <array>',
    ...[node, zerdd, 'supervise'].map((word) => `    ${text(word)}`),
    '  </array>',
    ...(variables.length === 0 ? [] : ['  <key>EnvironmentVariables</key>', '  <dict>', ...variables, '  </dict>']),
    '  <key>RunAtLoad</key>\n  <true/>',
    // Started again only when it failed: a wanted stop stays one.
    '  <key>KeepAlive</key>\n  <dict>\n    <key>SuccessfulExit</key>\n    <false/>\n  </dict>',
    '  <key>ThrottleInterval</key>\n  <integer>10</integer>',
    // Commands that run on in the background outlive a restart.
    '  <key>AbandonProcessGroup</key>\n  <true/>',
    '</dict>',
    '</plist>',
    '',
  ].join('\n');
}

function xml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
