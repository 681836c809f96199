/** Whether every setting does what it says. Pure. */
import type { Check } from '@zerd/protocol/common/search';

const mostTold = 8;

export function checkSettings(warnings: readonly string[]): Omit<Check, 'name'> {
  if (warnings.length === 0) return { ok: true, says: 'Every setting is understood.' };
  const more = warnings.length > mostTold ? [`And ${warnings.length - mostTold} more.`] : [];
  return {
    ok: false,
    says: [...warnings.slice(0, mostTold), ...more].join(' '),
    todo: 'Mend what is named: until then it has no effect, or not the one that was meant.',
  };
}
