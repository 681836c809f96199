/** What ripgrep is told of a query, and how what it finds is taken. */
import type { Glob } from '@zerd/core/search/glob';
import { isMultiline } from '@zerd/core/search/plan-search';
import type { SearchQuery } from '../base/ports.ts';
import { createMessageLines } from '../processes/message-lines.ts';
import { isMatchMessage, readGiant, readMessage } from '../processes/ripgrep-messages.ts';
import type { HitCollector } from './collect-hits.ts';
import { withoutDot } from './scope.ts';

/** What matches. */
export function matchFlags(query: SearchQuery): string[] {
  const flags: string[] = [];
  if (query.literal === true) flags.push('--fixed-strings');
  if (query.ignoreCase === true) flags.push('--ignore-case');
  else if (query.smartCase === true) flags.push('--smart-case');
  if (query.wholeWord === true) flags.push('--word-regexp');
  if (query.multiline === true || isMultiline(query.pattern)) flags.push('--multiline');
  if (query.context !== undefined && query.context > 0) flags.push('--context', String(query.context));
  return flags;
}

/** Which files are searched; a glob is checked once more by who reads the paths. */
export function scopeFlags(query: SearchQuery, glob: Glob | undefined): string[] {
  if (query.type !== undefined) return ['--type', query.type];
  // A type filter, because ripgrep's own globs would bring ignored and hidden files back.
  return glob?.name === undefined ? [] : ['--type-add', `zerd:${glob.name}`, '--type', 'zerd'];
}

/** Takes the messages of `--json`. Files that are not `wanted` do not count. */
export function createHitReader(collector: HitCollector, isWanted: (path: string) => boolean) {
  let searched: number | undefined;
  let wanted = true;

  function line(json: Buffer): void {
    if (isMatchMessage(json) && !collector.wantsLines()) {
      collector.count();
      return;
    }
    const message = readMessage(json);
    if (message?.kind === 'begin') begin(withoutDot(message.path));
    else if (message?.kind === 'lines' && collector.wantsLines()) collector.take(message.lines, message.isMatch);
    else if (message?.kind === 'end') collector.end(wanted, message.binaryAt);
    else if (message?.kind === 'summary') searched = message.searched;
  }

  function begin(path: string): void {
    wanted = isWanted(path);
    collector.begin(path);
  }

  function giant(start: Buffer, facts: Buffer): void {
    if (!isMatchMessage(start)) return;
    const message = readGiant(facts);
    if (message.kind === 'lines' && collector.wantsLines()) collector.take(message.lines, true);
    else collector.count();
  }

  const feed = createMessageLines({ line, giant });
  return {
    read: (chunk: Buffer): 'go' => {
      feed(chunk);
      return 'go';
    },
    answer: collector.answer,
    binaryNote: collector.binaryNote,
    /** Undefined: ripgrep did not come to its end. */
    searched: () => searched,
  };
}
