/** Plays the forget bench over one wire under one policy, through the real programs, and says what it cost and what was lost. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Gateway, startGateway } from '../../gateway/start.ts';
import { wireRows } from '../../gateway/wires.ts';
import type { Fact } from '../../players/fact.ts';
import { type LostFact, rememberingPlayer } from '../../players/remembering.ts';
import { summarising } from '../../players/summarising.ts';
import type { Wire } from '../../wire.ts';
import { askDaemon, runZerd, sessionEvents } from '../daemon-program.ts';
import { configure, withDaemon } from '../drive-zerd.ts';
import { type BenchFolder, makeBenchFolder } from '../private-folder.ts';
import { forgetFiles } from './files.ts';
import type { Round } from './rounds.ts';
import { factsOf, notePath, noteText, tasksOf } from './tasks.ts';

/** `default`: old results go when that pays. `never`: nothing goes. `every`: old results go before every request. */
export type Policy = 'default' | 'never' | 'every';
export const policies: readonly Policy[] = ['default', 'never', 'every'];

export interface ForgetFigures {
  readonly facts: number;
  readonly lost: readonly LostFact[];
  readonly weighted: number;
  readonly extraCalls: number;
  readonly requests: number;
  readonly peakTokens: number;
  readonly trims: number;
  readonly compactions: number;
}

/** `name`: of the folder that it plays in; only one run at a time may have it. */
export async function measureForget(
  rounds: readonly Round[],
  wire: Wire,
  policy: Policy,
  name = `forget-${wire}-${policy}`,
): Promise<ForgetFigures> {
  const folder = makeBenchFolder(name, forgetFiles());
  const tasks = tasksOf(rounds);
  const remembering = rememberingPlayer(tasks);
  const gateway = await startGateway({ player: summarising(remembering.player) });
  try {
    const basePath = wireRows.find((row) => row.wire === wire)?.basePath ?? '';
    configure(folder, { wire, baseUrl: gateway.origin + basePath, relief: reliefOf[policy] });
    const kinds = await withDaemon(folder, () =>
      play(
        folder,
        rounds.map(({ prompt }) => prompt),
      ),
    );
    const facts = factsOf(tasks);
    const lost = remembering.lost();
    return {
      facts: facts.length,
      lost: [...lost, ...wrongNotes(folder, facts, lost)],
      extraCalls: remembering.extraCalls(),
      ...figuresOf(gateway, kinds),
    };
  } finally {
    await gateway.close();
    folder.remove();
  }
}

const reliefOf = { default: 'due', never: 'never', every: 'every' } as const;

/** One session, one prompt after the other. Gives the kinds of its events. */
async function play(folder: BenchFolder, prompts: readonly string[]): Promise<readonly string[]> {
  for (const [i, prompt] of prompts.entries()) {
    const which = i === 0 ? ['--mode', 'full', '--model', 'sim/sim'] : ['--continue'];
    await runZerd(folder, 'zerd', ['run', '--trust', ...which, prompt]);
  }
  type Sessions = { readonly sessions: readonly { readonly sessionId: string }[] };
  const { sessions } = await askDaemon<Sessions>(folder, 'session/list', {});
  const [session] = sessions;
  if (session === undefined || sessions.length > 1) throw new Error(`expected one session, found ${sessions.length}`);
  return (await sessionEvents(folder, session.sessionId)).map(({ kind }) => String(kind));
}

function figuresOf(gateway: Gateway, kinds: readonly string[]) {
  const refused = gateway.requests.find((request) => request.refusal !== null);
  if (refused !== undefined) throw new Error(`request ${refused.n} was refused: ${refused.refusal}`);
  const { weighted, requests, peakTokens } = gateway.weights();
  const count = (kind: string) => kinds.filter((other) => other === kind).length;
  const [trims, compactions] = [count('context.trimmed'), count('context.compacted')];
  return { weighted, requests, peakTokens, trims, compactions };
}

/** What the player holds for done must be on disk, with the right values. */
function wrongNotes(folder: BenchFolder, facts: readonly Fact[], lost: readonly LostFact[]): readonly LostFact[] {
  const known = new Set(lost.map(({ id }) => id));
  return facts
    .filter((fact) => !known.has(fact.id) && noteIn(folder, fact) !== noteText(fact, fact.value))
    .map(({ id }) => ({ id, why: 'its note on disk is missing or wrong' }));
}

function noteIn(folder: BenchFolder, fact: Fact): string | undefined {
  try {
    return readFileSync(join(folder.repository, notePath(fact)), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
