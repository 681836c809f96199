/**
 * The two ways in which a ChatGPT subscriber signs in (facts as of 2026-11-29). `plan` is documented for open-source apps:
 * "Sign in with ChatGPT", whose token is a bearer of the plain Responses API. `codex` is what the coding client of OpenAI
 * uses: its token is for ChatGPT's own backend. Addresses and names are data, so that tests put a fake in their place.
 */

export type WayName = 'plan' | 'codex';

export interface Way {
  readonly name: WayName;
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  /** Where the browser comes back to; the port is part of what the provider has registered. */
  readonly redirectUrl: string;
  readonly clientId: string;
  readonly scope: string;
  /** The callback brings a client id of its own, with which everything behind it is asked (plan). */
  readonly issuesClientId: boolean;
  /** What the token is for; goes with every question (plan). */
  readonly resource?: string;
  /** Query parameters besides. */
  readonly more: Readonly<Record<string, string>>;
  /** Signing in on another device; absent: there is none. */
  readonly device?: DeviceWay;
}

export interface DeviceWay {
  readonly codeUrl: string;
  readonly pollUrl: string;
  /** Where the user types the code. */
  readonly pageUrl: string;
  /** Named with the code, in place of the callback. */
  readonly redirectUrl: string;
  readonly lastsMs: number;
}

const openai = 'https://auth.openai.com';

/** `installation`: a UUID of this installation, by which the documented way knows it again. */
export function planWay(installation: string): Way {
  return {
    name: 'plan',
    authorizeUrl: `${openai}/api/accounts/authorize`,
    tokenUrl: `${openai}/api/accounts/oauth/token`,
    redirectUrl: 'http://127.0.0.1:1455/auth/callback',
    clientId: 'dynamic_agent_client',
    scope: 'openid profile email offline_access resource.invoke chatgpt.tokens.use.direct',
    issuesClientId: true,
    resource: 'https://api.openai.com/v1',
    more: { agent_name_hint: 'zerd', ext_agent_host_id: `urn:uuid:${installation}` },
  };
}

export function codexWay(): Way {
  return {
    name: 'codex',
    authorizeUrl: `${openai}/oauth/authorize`,
    tokenUrl: `${openai}/oauth/token`,
    redirectUrl: 'http://localhost:1455/auth/callback',
    clientId: 'app_EMoamEEZ73f0CkXaXp7hrann',
    scope: 'openid profile email offline_access',
    issuesClientId: false,
    more: { id_token_add_organizations: 'true', codex_cli_simplified_flow: 'true', originator: 'zerd' },
    device: {
      codeUrl: `${openai}/api/accounts/deviceauth/usercode`,
      pollUrl: `${openai}/api/accounts/deviceauth/token`,
      pageUrl: `${openai}/codex/device`,
      redirectUrl: `${openai}/deviceauth/callback`,
      lastsMs: 15 * 60_000,
    },
  };
}
