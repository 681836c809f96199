/**
 * Reasoning goes back as it came: its sealed content opens, its summary is unchanged, and what followed it follows it.
 * An item that came behind reasoning and still has its id needs that reasoning before it.
 */
import { sealOf } from '../speak/signature.ts';
import { isOutput, typeOf } from '../view/view-responses.ts';
import { type Json, objectsOf, stringOf } from '../wire.ts';
import { inputRefused } from './responses-calls.ts';
import { notKept } from './responses-items.ts';
import { type Issued, invalid, type Verdict } from './verdict.ts';

export function* judgeReasoning(items: readonly Json[], issued: Issued): Iterable<Verdict> {
  const seen = new Set<string>();
  for (const [i, item] of items.entries()) {
    const id = stringOf(item.id);
    if (id !== '' && isOutput(item)) {
      if (seen.has(id)) {
        const message = `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`;
        yield inputRefused(message);
      }
      seen.add(id);
    }
    if (typeOf(item) === 'reasoning') yield* judgeOne(item, items.slice(i + 1), issued);
    else yield* judgeFollower(item, seen, issued);
  }
}

function* judgeOne(item: Json, behind: readonly Json[], issued: Issued): Iterable<Verdict> {
  const id = stringOf(item.id);
  const sealed = stringOf(item.encrypted_content);
  if (sealed === '') yield notKept(id);
  const summary = objectsOf(item.summary).map((part) => stringOf(part.text));
  if (sealed !== sealOf(summary.join('\n\n'))) {
    const message = `The encrypted content ${sealed.slice(0, 4)}... could not be verified. Reason: Encrypted content could not be decrypted or parsed.`;
    yield invalid(message, { code: 'invalid_encrypted_content' });
  }
  const next = behind.find((one) => typeOf(one) !== 'reasoning');
  const meant = next === undefined ? undefined : issued.itemOf(stringOf(next.id));
  if (next === undefined || !isOutput(next) || (meant !== undefined && meant.reasoningId !== id)) {
    yield inputRefused(`Item '${id}' of type 'reasoning' was provided without its required following item.`);
  }
}

function* judgeFollower(item: Json, seen: ReadonlySet<string>, issued: Issued): Iterable<Verdict> {
  const id = stringOf(item.id);
  const needed = id === '' ? undefined : issued.itemOf(id)?.reasoningId;
  if (needed !== undefined && !seen.has(needed)) {
    yield inputRefused(
      `Item '${id}' of type '${typeOf(item)}' was provided without its required 'reasoning' item: '${needed}'.`,
    );
  }
}
