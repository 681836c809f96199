/** `zerd index`: how large and how fresh the search index is, and why it was built; `rebuild` builds it anew and waits. */
import type { ResultOf } from '@zerd/protocol/common/methods';
import { safeJson, sanitiseLine } from '@zerd/protocol/common/sanitise';
import type { ZerdClient } from '@zerd/protocol/node/client';
import { type Context, defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';

const verbs = ['status', 'rebuild'] as const;

export const indexCommand = defineCommand({
  name: 'index',
  usage: 'index [verb]',
  says: 'Shows the search index of this repository, or builds it anew',
  positionals: { verb: { choices: verbs, describe: 'What to do', defaultDescription: 'status' } },
  options: ['json'],
  examples: [
    ['zerd index', 'Size, files, freshness, and why it was built'],
    ['zerd index rebuild', 'Builds it anew; searches are answered meanwhile'],
  ],
  complaint: ({ verb }) =>
    verb === undefined || verbs.includes(verb) ? undefined : `'${verb}' is neither status nor rebuild.`,
  async perform({ verb, json }, { terminal, connect, clock }) {
    const client = await connect('daemon');
    try {
      const report = verb === 'rebuild' ? await rebuilt(client, terminal) : await client.request('index/status', {});
      terminal.out(json === true ? `${safeJson(report)}\n` : `${reportLines(report, clock.wall()).join('\n')}\n`);
      return verb === 'rebuild' && report.failed !== undefined ? exitCode.failed : exitCode.done;
    } finally {
      client.close();
    }
  },
});

type Report = ResultOf<'index/status'>;

/** Settles when the build has ended; tells how far it is. */
async function rebuilt(client: ZerdClient, terminal: Context['terminal']): Promise<Report> {
  let settle: (report: Report) => void = () => {};
  const done = new Promise<Report>((resolve) => {
    settle = resolve;
  });
  const before = await client.request('index/status', {});
  const hear = (report: Report) => {
    if (terminal.progressIsTerminal) terminal.err(`\r\x1b[K${progressOf(report)}`);
    if (report.progress !== undefined || report.state === 'building') return;
    if (isRefused(report) || report.builtAt !== before.builtAt || isNewFailure(before, report)) settle(report);
  };
  client.onNotice('index/progress', (report) => hear(report as Report));
  const begun = await client.request('index/rebuild', {});
  if (isRefused(begun)) return begun;
  const gone = client.closed.then(() => begun);
  const report = await Promise.race([done, gone]);
  if (terminal.progressIsTerminal) terminal.err('\r\x1b[K');
  return report;
}

function isRefused({ state }: Report): boolean {
  return state === 'refused' || state === 'small';
}

function isNewFailure(before: Report, { failed }: Report): boolean {
  return failed !== undefined && failed.at !== before.failed?.at;
}

function progressOf({ progress }: Report): string {
  if (progress === undefined) return '';
  const { files, totalFiles } = progress;
  return `indexing: ${files} of ${totalFiles} files`;
}

export function reportLines(report: Report, now: number): readonly string[] {
  const { state, files, corpusBytes, indexBytes, builtAt, buildMs, why, watch, changed, removed, progress, failed } =
    report;
  const lines = [`${states[state]}${progress === undefined ? '' : ` (${progressOf(report)})`}`];
  if (why !== undefined) lines.push(`why       ${sanitiseLine(why)}`);
  if (failed !== undefined) lines.push(`failed    ${seconds(now - failed.at)} ago: ${sanitiseLine(failed.why)}`);
  if (builtAt !== undefined) {
    const share = corpusBytes === 0 ? 0 : Math.round((100 * indexBytes) / corpusBytes);
    lines.push(`files     ${files}, ${megabytes(corpusBytes)}`);
    lines.push(`index     ${megabytes(indexBytes)} (${share} %)`);
    lines.push(`built     ${seconds(now - builtAt)} ago${buildMs === undefined ? '' : `, in ${seconds(buildMs)}`}`);
    lines.push(`since     ${changed} changed, ${removed} removed`);
  }
  const caught = watch.catchUpMs === undefined ? '' : `; what had changed unwatched was found in ${watch.catchUpMs} ms`;
  const reason = watch.why === undefined ? '' : ` (${sanitiseLine(watch.why)})`;
  lines.push(`watch     ${watch.phase}${reason}, ${watch.folders} folders${caught}`);
  return lines;
}

const states: Readonly<Record<Report['state'], string>> = {
  off: 'off: the setting search.index says so; searches scan the tree',
  none: 'none yet: the first search begins it',
  small: 'none: the tree is so small that scanning it is as quick',
  building: 'building; searches scan the tree until it is done',
  ready: 'ready',
  refused: 'none: the home folder and / are not indexed unless search.index is "on"',
};

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function seconds(ms: number): string {
  return ms < 120_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}
