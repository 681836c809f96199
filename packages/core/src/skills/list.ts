/**
 * Words the list of skills for the frozen system text. Invariants: it stays within its tokens, its heading aside; every
 * skill stands in it by name or is counted; descriptions are cut at the ends of words, the longest first (P126); the same
 * skills give the same bytes.
 */
import { utf8Length } from '../text/utf8.ts';
import { type Skill, skillListName } from './skill.ts';

type Listed = Pick<Skill, 'name' | 'description'>;

const shareOfWindow = 0.01;
const mostTokens = 2_000;
/** Of a model whose window nobody knows. */
const unknownWindow = 32_000;

/** Tokens of the list. `limit`: the user's own; 0: no skills at all. */
export function skillTokens(contextWindow: number | null, limit: number | undefined): number {
  return limit ?? Math.min(mostTokens, Math.floor((contextWindow ?? unknownWindow) * shareOfWindow));
}

/** Behind the system prompt; '' without skills. */
export function skillsText(skills: readonly Listed[], tokens: number): string {
  if (skills.length === 0) return '';
  // Nothing of a repository speaks for zerd in the system text.
  const list = skillList(skills, tokens).replace(/<(?=\/?system-reminder)/gi, '&lt;');
  return `\n\nSkills, loaded by name with the skill tool before work that they fit:\n${list}`;
}

export function skillList(skills: readonly Listed[], tokens: number): string {
  const longest = Math.max(leastDescription, ...skills.map(({ description }) => description.length));
  let [fits, tooLong] = [leastDescription - 1, longest + 1];
  // The longest cut for which all lines fit: what is shorter than it stays whole.
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (tokensOf(linesWith(skills, middle)) <= tokens) fits = middle;
    else tooLong = middle;
  }
  return fits < leastDescription ? namesWithin(skills, tokens) : linesWith(skills, fits);
}

/** A shorter piece of a description tells nothing. Characters. */
const leastDescription = 24;

function linesWith(skills: readonly Listed[], chars: number): string {
  return skills.map(({ name, description }) => `${name}: ${shortened(description, chars)}`).join('\n');
}

/** At the end of a word, at most `chars` long. */
export function shortened(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const cut = text.slice(0, chars - 1);
  const end = /\s/.test(text[chars - 1] ?? '') ? cut.length : cut.search(/\s\S*$/);
  const whole = end > 0 ? cut.slice(0, end) : cut.replace(/[\ud800-\udbff]$/, '');
  return `${whole.replace(/[\s,;:.]+$/, '')}…`;
}

function namesWithin(skills: readonly Listed[], tokens: number): string {
  const all = skills.map(({ name }) => name);
  if (tokensOf(all.join(', ')) <= tokens) return all.join(', ');
  const room = tokens - tokensOf(moreText(all.length));
  let used = 0;
  const fitting = all.findIndex((name) => {
    used += tokensOf(`${name}, `);
    return used > room;
  });
  return [...all.slice(0, Math.max(0, fitting)), moreText(all.length - Math.max(0, fitting))].join(', ');
}

function moreText(count: number): string {
  return `and ${count} more: skill ${skillListName}`;
}

/**
 * An estimate that is rather too high: a word costs a token for each six letters, a mark between words its own, a
 * character outside ASCII one for each two bytes.
 */
export function tokensOf(text: string): number {
  let tokens = 0;
  for (const [part] of text.matchAll(/ ?[A-Za-z]+|\d{1,3}|[^\s\dA-Za-z\x80-\u{10ffff}]+|[\x80-\u{10ffff}]+|\n/gu)) {
    const first = part.trimStart();
    if (/^[A-Za-z]/.test(first)) tokens += Math.ceil(first.length / 6);
    else tokens += first !== '' && first > '\x7f' ? Math.ceil(utf8Length(first) / 2) : 1;
  }
  return tokens;
}

/** What the tool answers to the name of the list: everything, in whole lines. */
export function wholeList(skills: readonly Listed[]): string {
  return skills.map(({ name, description }) => `${name}: ${shortened(description, 300)}`).join('\n');
}
