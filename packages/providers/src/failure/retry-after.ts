/** How long a provider asks to wait, in milliseconds: `retry-after-ms`, else `retry-after` in seconds or as a date. */
export function readRetryAfter(header: (name: string) => string | null, wallNow: number): number | undefined {
  const exact = millis(header('retry-after-ms'), 1);
  if (exact !== undefined) return exact;
  const value = header('retry-after');
  return millis(value, 1000) ?? untilDate(value, wallNow);
}

/** What OpenAI asks for in the message alone, where an answer that has begun is limited (2026-11). */
export function waitInWords(message: string): number | undefined {
  const [, amount, unit = 's'] = /\btry again in (\d+(?:\.\d+)?) ?(ms|s)\b/i.exec(message) ?? [];
  return amount === undefined ? undefined : Math.ceil(Number(amount) * (unit.toLowerCase() === 'ms' ? 1 : 1000));
}

function millis(value: string | null, unit: number): number | undefined {
  if (value === null || !/^\s*\d+(\.\d+)?\s*$/.test(value)) return undefined;
  return Math.ceil(Number(value) * unit);
}

function untilDate(value: string | null, wallNow: number): number | undefined {
  const at = value === null ? Number.NaN : Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - wallNow);
}
