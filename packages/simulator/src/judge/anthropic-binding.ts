/**
 * Judges how a request says what becomes of reasoning whose prefix was edited: `thinking.block_binding`, under the name of
 * its trial and with adaptive thinking only (Anthropic's page on preserved thinking, 2026-11-29).
 */
import { isObject, type Json } from '../wire.ts';
import { type Headers, invalid, type Verdict } from './verdict.ts';

const trial = 'thinking-binding-controls-2026-08-01';

export function* judgeBinding(body: Json, headers: Headers): Iterable<Verdict> {
  const thinking = isObject(body.thinking) ? body.thinking : {};
  const { type, block_binding: binding } = thinking;
  if (binding === undefined) return;
  const at = `thinking.${String(type)}.block_binding`;
  if (type !== 'adaptive' || !(headers['anthropic-beta'] ?? '').split(/\s*,\s*/).includes(trial)) {
    yield invalid(`${at}: Extra inputs are not permitted`);
  }
  const fields = isObject(binding) ? binding : {};
  const unknown = Object.keys(fields).find((key) => key !== 'prefix_mismatch_behavior');
  if (unknown !== undefined) yield invalid(`${at}.${unknown}: Extra inputs are not permitted`);
  if (fields.prefix_mismatch_behavior !== 'drop_block') {
    yield invalid(`${at}.prefix_mismatch_behavior: Input should be 'drop_block'`);
  }
}
