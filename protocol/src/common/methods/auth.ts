/** Rows of keys and sign-ins. No result holds a key or a token. */
import { z } from 'zod';
import { at, nothing } from './fields.ts';
import { request } from './row.ts';

const provider = z
  .string()
  .regex(/^[\w.-]{1,100}$/, 'expected the name of a provider')
  .meta({ examples: ['anthropic'] });

const providerKeySchema = z.object({
  provider: z.string(),
  source: z
    .enum(['environment', 'config', 'keychain', 'file', 'signIn', 'missing', 'none'])
    .describe('Where its key comes from; `none`: it wants none.'),
  variable: z.string().optional().describe('The variable that holds it, or would.'),
  email: z.string().optional().describe('Who is signed in.'),
  plan: z.string().optional(),
  expiresAt: at.optional().describe('When the access token ends; it is renewed before.'),
});

const keptIn = z.enum(['keychain', 'file']);

export const authMethods = {
  'auth/status': request(
    'none',
    "Where each provider's key comes from, for this client. Never the key.",
    nothing,
    z.object({
      providers: z.array(providerKeySchema),
      broken: z.string().optional().describe('Why nothing of what `zerd login` kept can be used, and what to do.'),
    }),
  ),
  'auth/login': request(
    'none',
    "Keeps a key, in the system's keychain where there is one, else in a file of its user alone. Without `key` it begins to sign in: the answer says where; with `loginId` it tells, after a while at the latest, what became of that.",
    z.strictObject({
      provider,
      key: z
        .string()
        .regex(/^[!-&(-~]{8,4096}$/, 'expected a key: 8 characters or more, without spaces and quotes')
        .optional(),
      way: z.enum(['browser', 'device']).optional().describe('Absent: browser.'),
      loginId: z.string().max(100).optional(),
      pasted: z
        .string()
        .max(10_000)
        .optional()
        .describe('With `loginId`: the address at which the browser ended, where it could not reach this machine.'),
    }),
    z.discriminatedUnion('state', [
      z.object({
        state: z.literal('waiting'),
        loginId: z.string(),
        url: z.string().describe('The page to open.'),
        userCode: z.string().optional().describe('What to type there.'),
      }),
      z.object({ state: z.literal('done'), keptIn }),
      z.object({ state: z.literal('failed'), why: z.string() }),
    ]),
  ),
  'auth/logout': request(
    'none',
    'Removes what is kept of a key or a sign-in.',
    z.strictObject({ provider }),
    z.object({
      removedFrom: z.array(keptIn),
      left: providerKeySchema.optional().describe('Where its key comes from now.'),
    }),
  ),
} as const;
