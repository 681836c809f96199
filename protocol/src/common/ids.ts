/** Branded identifiers: strings on the wire, distinct types in code. Each carries a prefix that names its kind. */
import { z } from 'zod';

export const sessionIdSchema = z.string().regex(/^ses_/).brand<'SessionId'>();
export const turnIdSchema = z
  .string()
  .regex(/^turn_/)
  .brand<'TurnId'>();
export const requestIdSchema = z.string().regex(/^req_/).brand<'RequestId'>();
export const approvalIdSchema = z.string().regex(/^apr_/).brand<'ApprovalId'>();
/** A call's id is the provider's own, made unique within its session; it goes back to the provider as it came. */
export const callIdSchema = z.string().min(1).brand<'CallId'>();
/** The first hexadecimal digits (12 or more) of the SHA-256 of an archived body. */
export const archiveIdSchema = z
  .string()
  .regex(/^[0-9a-f]{12,64}$/)
  .brand<'ArchiveId'>();

export type SessionId = z.infer<typeof sessionIdSchema>;
export type TurnId = z.infer<typeof turnIdSchema>;
export type RequestId = z.infer<typeof requestIdSchema>;
export type ApprovalId = z.infer<typeof approvalIdSchema>;
export type CallId = z.infer<typeof callIdSchema>;
export type ArchiveId = z.infer<typeof archiveIdSchema>;
