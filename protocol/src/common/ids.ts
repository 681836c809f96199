/** Branded identifiers: strings on the wire, distinct types in code. Each carries a prefix that names its kind. */
import { z } from 'zod';

export const sessionIdSchema = z
  .string()
  .regex(/^ses_/)
  .brand<'SessionId'>()
  .meta({ examples: ['ses_...'] });
export const turnIdSchema = z
  .string()
  .regex(/^turn_/)
  .brand<'TurnId'>()
  .meta({ examples: ['turn_...'] });
export const requestIdSchema = z
  .string()
  .regex(/^req_/)
  .brand<'RequestId'>()
  .meta({ examples: ['req_...'] });
export const approvalIdSchema = z
  .string()
  .regex(/^apr_/)
  .brand<'ApprovalId'>()
  .meta({ examples: ['apr_...'] });
export const promptIdSchema = z
  .string()
  .regex(/^prm_/)
  .brand<'PromptId'>()
  .meta({ examples: ['prm_...'] });
export const questionIdSchema = z
  .string()
  .regex(/^que_/)
  .brand<'QuestionId'>()
  .meta({ examples: ['que_...'] });
export const jobIdSchema = z
  .string()
  .regex(/^job_/)
  .brand<'JobId'>()
  .meta({ examples: ['job_...'] });
export const callIdSchema = z
  .string()
  .min(1)
  .brand<'CallId'>()
  .describe("The provider's own, made unique within its session; it goes back to the provider as it came.");
export const archiveIdSchema = z
  .string()
  .regex(/^[0-9a-f]{12,64}$/)
  .brand<'ArchiveId'>()
  .describe('The first hexadecimal digits (12 or more) of the SHA-256 of an archived body.')
  .meta({ examples: ['2cf24dba5fb0'] });

export type SessionId = z.infer<typeof sessionIdSchema>;
export type TurnId = z.infer<typeof turnIdSchema>;
export type RequestId = z.infer<typeof requestIdSchema>;
export type ApprovalId = z.infer<typeof approvalIdSchema>;
export type CallId = z.infer<typeof callIdSchema>;
export type ArchiveId = z.infer<typeof archiveIdSchema>;
export type PromptId = z.infer<typeof promptIdSchema>;
export type QuestionId = z.infer<typeof questionIdSchema>;
export type JobId = z.infer<typeof jobIdSchema>;
