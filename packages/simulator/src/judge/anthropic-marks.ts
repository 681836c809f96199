/** Cache marks: four at most, where they may stand, one hour before five minutes. That thinking has none is a matter of its fields. */
import { isObject, type Json, objectsOf, stringOf } from '../wire.ts';
import { invalid, type Verdict } from './verdict.ts';

export function* judgeAnthropicMarks(body: Json): Iterable<Verdict> {
  const carriers = [...objectsOf(body.tools), ...objectsOf(body.system), ...messageBlocks(body), body];
  const marked = carriers.filter((carrier) => carrier.cache_control !== undefined && carrier.cache_control !== null);
  if (marked.length > 4) {
    yield invalid(`A maximum of 4 blocks with cache_control may be provided. Found ${marked.length}.`);
  }
  const marks = marked.map((carrier) => (isObject(carrier.cache_control) ? carrier.cache_control : {}));
  if (marks.some((mark) => mark.type !== 'ephemeral')) yield invalid("cache_control.type: Input should be 'ephemeral'");
  if (marks.some((mark) => !['5m', '1h', ''].includes(stringOf(mark.ttl)))) {
    yield invalid("cache_control.ephemeral.ttl: Input should be '5m' or '1h'");
  }
  const lifetimes = marks.map((mark) => stringOf(mark.ttl) || '5m');
  if (lifetimes.lastIndexOf('1h') > lifetimes.indexOf('5m') && lifetimes.includes('5m') && lifetimes.includes('1h')) {
    yield invalid("a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.");
  }
}

/** Content blocks, and the blocks inside tool results. */
function messageBlocks(body: Json): readonly Json[] {
  return objectsOf(body.messages)
    .flatMap((message) => objectsOf(message.content))
    .flatMap((block) => [block, ...objectsOf(block.content)]);
}
