/**
 * Does: keeps which commands the user allowed in this repository for good, beside those of the configuration. Invariant
 * (I7): the record lies in the user's state folder and names the real path of the workspace; a copied, moved or
 * unreadable one allows nothing, and is not written over. It is read anew each time: a user changes it while the daemon
 * runs.
 */
import { readFileSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readRule, ruleText } from '@zerd/core/permissions/commands/rules';
import type { Grants } from '@zerd/core/permissions/decide';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { ResultOf } from '@zerd/protocol/common/methods';
import { z } from 'zod';
import { createLocks } from '../base/locks.ts';
import { replaceFile } from '../files/replace-file.ts';

export interface GrantRoom {
  now(): Grants;
  list(): ResultOf<'grant/list'>;
  /** Rejects with invalid_params where one is no rule, and with store_failed where it cannot be kept. */
  add(rules: readonly string[]): Promise<void>;
  /** Rejects with invalid_params where there is no such rule for this repository. */
  remove(rule: string): Promise<void>;
}

export interface GrantPlace {
  /** The user's private folder for this repository. */
  readonly stateFolder: string;
  /** The real path of the workspace. */
  readonly root: string;
  /** The rules of the configuration file as they are now. */
  readonly configured: () => readonly string[];
}

const recordSchema = z.object({ root: z.string(), commands: z.array(z.string()) });
const mostRules = 1_000;
/** It is read before each command that is judged. */
const mostBytes = 1_000_000;

export function openGrants({ stateFolder, root, configured }: GrantPlace): GrantRoom {
  const file = join(stateFolder, 'grants.json');
  const locks = createLocks();
  const kept = () => readRecord(file, root) ?? [];

  function change(next: (rules: readonly string[]) => readonly string[]): Promise<void> {
    return locks.run(file, async () => {
      const rules = readRecord(file, root);
      if (rules === undefined) throw broken(file);
      await write({ file, stateFolder, root, commands: next(rules) });
    });
  }

  return {
    now: () => ({ commands: [...configured(), ...kept()].flatMap((text) => readRule(text) ?? []) }),
    list: () => ({
      rules: [
        ...configured().map((rule) => ({ rule, from: 'configuration' as const })),
        ...kept().map((rule) => ({ rule, from: 'repository' as const })),
      ],
    }),
    async add(rules) {
      const added = rules.map(asWritten);
      await change((known) => bounded([...new Set([...known, ...added])]));
    },
    async remove(rule) {
      await change((known) => {
        // As it is listed, whatever it is: a user may have written it.
        const gone = known.includes(rule) ? rule : asWritten(rule);
        const left = known.filter((one) => one !== gone && normal(one) !== gone);
        if (left.length < known.length) return left;
        throw new ZerdError(
          'invalid_params',
          `This repository has no rule ${gone}. Nothing was changed; see \`zerd grants\`.`,
        );
      });
    },
  };
}

/** Undefined: it is none. */
function normal(text: string): string | undefined {
  const rule = readRule(text);
  return rule && ruleText(rule);
}

/** The same rule in the same words. */
function asWritten(text: string): string {
  const rule = normal(text);
  if (rule !== undefined) return rule;
  throw new ZerdError(
    'invalid_params',
    `${JSON.stringify(text)} is no single plain command. Nothing was changed. A rule is a command as it stands (\`npm test\`), or with \` *\` behind it, whatever follows (\`npm test *\`).`,
  );
}

function bounded(rules: readonly string[]): readonly string[] {
  if (rules.length <= mostRules && Buffer.byteLength(JSON.stringify(rules, null, 2)) <= mostBytes / 2) return rules;
  throw new ZerdError(
    'invalid_params',
    `Not kept: ${mostRules} rules, or half a megabyte of them, are the limit. Take some back: \`zerd grants remove RULE\`.`,
  );
}

/** Undefined: what stands there counts for nothing and is left as it is. */
function readRecord(file: string, root: string): readonly string[] | undefined {
  try {
    const found = statSync(file);
    if (!found.isFile() || found.size > mostBytes) return undefined;
    const record = recordSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    return record.root === root ? record.commands : [];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? [] : undefined;
  }
}

function broken(file: string): ZerdError {
  return new ZerdError(
    'store_failed',
    `${file}, which holds what you allowed here, is broken and was left as it is. Mend or remove it.`,
  );
}

interface Record {
  readonly file: string;
  readonly stateFolder: string;
  readonly root: string;
  readonly commands: readonly string[];
}

async function write({ file, stateFolder, ...record }: Record): Promise<void> {
  try {
    await mkdir(stateFolder, { recursive: true, mode: 0o700 });
    await replaceFile(file, `${JSON.stringify(record, null, 2)}\n`);
  } catch (error) {
    throw new ZerdError(
      'store_failed',
      `${file} cannot be written (${(error as Error).message}). What was allowed before holds.`,
      { cause: error },
    );
  }
}
