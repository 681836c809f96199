/**
 * The contract as data: every method with its direction, scope, parameters, result and one sentence; the rows lie by
 * resource in `methods/`. Types, JSON Schema and the reference are generated from this table. A method enters it in the
 * change that builds its handler.
 */
import type { z } from 'zod';
import type { budgetSchema, sessionCostSchema, totalsSchema } from './cost-shapes.ts';
import { answerMethods } from './methods/answer.ts';
import { authMethods } from './methods/auth.ts';
import { contextMethods, type promptOutlineSchema } from './methods/context.ts';
import { costMethods } from './methods/cost.ts';
import { daemonMethods } from './methods/daemon.ts';
import { jobMethods } from './methods/job.ts';
import { mcpMethods } from './methods/mcp.ts';
import { modelMethods } from './methods/model.ts';
import { notices } from './methods/notices.ts';
import { searchMethods } from './methods/search.ts';
import { sessionMethods } from './methods/session.ts';
import type {
  pendingApprovalSchema,
  pendingQuestionSchema,
  sessionRowSchema,
  waitingPromptSchema,
  waitSchema,
} from './methods/session-shapes.ts';
import { turnMethods } from './methods/turn.ts';

export const methods = {
  ...daemonMethods,
  ...sessionMethods,
  ...modelMethods,
  ...authMethods,
  ...turnMethods,
  ...answerMethods,
  ...costMethods,
  ...contextMethods,
  ...searchMethods,
  ...jobMethods,
  ...mcpMethods,
  ...notices,
} as const;

export type MethodTable = typeof methods;
export type MethodName = keyof MethodTable;
export type ClientMethod = {
  [M in MethodName]: MethodTable[M]['direction'] extends 'toDaemon' ? M : never;
}[MethodName];
export type DaemonNotice = Exclude<MethodName, ClientMethod>;
/** What a client sends: defaults not yet filled in. */
export type ParamsOf<M extends MethodName> = z.input<MethodTable[M]['params']>;
/** What a handler receives, validated. */
export type ValidParamsOf<M extends MethodName> = z.output<MethodTable[M]['params']>;
export type ResultOf<M extends MethodName> = z.output<MethodTable[M]['result']>;
/** A handler's answer before branding. */
export type ResultInputOf<M extends MethodName> = z.input<MethodTable[M]['result']>;

export type SessionRow = z.infer<typeof sessionRowSchema>;
export type PendingApproval = z.infer<typeof pendingApprovalSchema>;
export type PendingQuestion = z.infer<typeof pendingQuestionSchema>;
export type WaitingPrompt = z.infer<typeof waitingPromptSchema>;
export type PromptOutline = z.infer<typeof promptOutlineSchema>;
export type Totals = z.infer<typeof totalsSchema>;
export type SessionCost = z.infer<typeof sessionCostSchema>;
export type Budget = z.infer<typeof budgetSchema>;
export type Wait = z.infer<typeof waitSchema>;
