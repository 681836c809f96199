/**
 * Says whose endpoint an address is, so that its models find their rows, and what kind of server runs on one's own
 * machine. Addresses as the providers' documentation gives them, ports as the servers' own defaults (2026-11-29).
 */

const hosts: readonly (readonly [RegExp, string])[] = [
  [/^api\.anthropic\.com$/, 'anthropic'],
  [/^api\.openai\.com$/, 'openai'],
  [/^generativelanguage\.googleapis\.com$/, 'google'],
  [/^api\.deepseek\.com$/, 'deepseek'],
  [/^api\.moonshot\.(ai|cn)$/, 'moonshot'],
  [/^(api\.z\.ai|open\.bigmodel\.cn)$/, 'zai'],
  [/^dashscope(-intl|-us)?\.aliyuncs\.com$/, 'qwen'],
  [/^api\.x\.ai$/, 'xai'],
  [/^openrouter\.ai$/, 'openrouter'],
];

/** The catalogue's name of the provider at this address; null: not known. */
export function providerAt(baseUrl: string): string | null {
  const { host } = placeOf(baseUrl);
  return hosts.find(([pattern]) => pattern.test(host))?.[1] ?? null;
}

export interface LocalServer {
  readonly name: 'Ollama' | 'llama.cpp' | 'vLLM' | 'LM Studio';
  /** Ollama always says 0 and vLLM only tells when started so: zeros there are no miss. */
  readonly reportsCache: boolean;
}

const ports: Readonly<Record<string, LocalServer>> = {
  '11434': { name: 'Ollama', reportsCache: false },
  '8080': { name: 'llama.cpp', reportsCache: true },
  '8000': { name: 'vLLM', reportsCache: false },
  '1234': { name: 'LM Studio', reportsCache: false },
};

/** Null: not on this machine, or on a port that says nothing. */
export function localServerAt(baseUrl: string): LocalServer | null {
  const { host, port } = placeOf(baseUrl);
  const local = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)$/.test(host);
  return local && Object.hasOwn(ports, port) ? (ports[port] ?? null) : null;
}

function placeOf(baseUrl: string): { readonly host: string; readonly port: string } {
  const [, host = '', port = ''] = /^https?:\/\/(\[[^\]]*\]|[^/:?#]*)(?::(\d+))?/i.exec(baseUrl) ?? [];
  return { host: host.toLowerCase(), port };
}
