/**
 * Does: starts a session. Model, mode, system text and tools are settled and frozen in its first event (I2); what is
 * wrong with any of them is said before anything is written.
 */
import { isOpenModel, openModelRules } from '@zerd/core/context/open-models';
import { systemPrompt } from '@zerd/core/context/system-prompt';
import { type FrozenRules, freezeRules } from '@zerd/core/rules/root-rules';
import { skillsText, skillTokens } from '@zerd/core/skills/list';
import { declareTools } from '@zerd/core/tools/declarations';
import { ZerdError } from '@zerd/protocol/common/errors';
import { sessionIdSchema } from '@zerd/protocol/common/ids';
import { zerdVersion } from '@zerd/protocol/common/version';
import { saidBudget } from '../config/budgets.ts';
import { type ResolvedModel, resolveModel } from '../config/models.ts';
import { rulesSettings } from '../config/rules.ts';
import { type SkillSettings, skillSettings } from '../config/skills.ts';
import { rulesOfRoot } from '../rules/find-rules.ts';
import { findSkills } from '../skills/find-skills.ts';
import { keepRules } from './attach-rules.ts';
import type { Book } from './book.ts';
import { newId } from './new-id.ts';
import { hasOutsideTools } from './outside-tools.ts';
import type { RunnerParts } from './parts.ts';
import type { Runner } from './runner.ts';

type Wish = Parameters<Runner['createSession']>[0];

export async function createSession(parts: RunnerParts, book: Book, wish: Wish): ReturnType<Runner['createSession']> {
  requireTrust(parts, wish.trust);
  const config = parts.readConfig();
  const resolved = resolveModel(config, wish.model, wish.env);
  const model = resolved.ref;
  const skills = await frozenSkills(parts, skillSettings(config, wish.env), parts.windows.known(resolved));
  const sessionId = sessionIdSchema.parse(newId('ses', parts.clock));
  const mode = wish.mode ?? 'ask';
  const without = [...(skills === '' ? ['skill' as const] : []), ...(hasOutsideTools(parts) ? [] : ['mcp' as const])];
  const tools = JSON.stringify(declareTools(without));
  const rules = await frozenRules(parts);
  const more = isOpenModel(resolved.wire, resolved.modelId) ? openModelRules : '';
  const state = await book.append(sessionId, [
    {
      kind: 'session.created',
      root: parts.root,
      model,
      mode,
      system: systemPrompt + more + skills + rules.text,
      tools,
      version: zerdVersion,
      ...(rules.files.length === 0 ? {} : { rules: [...rules.files] }),
      ...saidBudget(wish),
    },
  ]);
  return { sessionId, model, mode, seq: state.lastSeq };
}

/** Their list, as a part of the system text; '' when there are none. */
async function frozenSkills(
  { root }: RunnerParts,
  { limit, ...places }: SkillSettings,
  { contextWindow }: ResolvedModel,
): Promise<string> {
  if (limit === 0) return '';
  const { skills } = await findSkills({ root, ...places });
  return skillsText(skills, skillTokens(contextWindow, limit));
}

async function frozenRules({ root, readConfig, store }: RunnerParts): Promise<FrozenRules> {
  const settings = rulesSettings(readConfig());
  const found = await rulesOfRoot(root, settings);
  return freezeRules(await Promise.all(found.map((file) => keepRules(store, file))), settings.root);
}

/** I7: before the user's word nothing of a repository is read or run. */
export function requireTrust(parts: RunnerParts, forThisRun: boolean | undefined): void {
  if (forThisRun || parts.trust.trusted()) return;
  const broken = parts.trust.broken?.();
  throw new ZerdError(
    'untrusted',
    `The repository ${parts.root} is not trusted, so nothing of it was read or run.${broken === undefined ? '' : ` ${broken}`} Run \`zerd trust\` there, or pass --trust for one run.`,
  );
}
