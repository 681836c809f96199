/**
 * What a person's words choose of a question whose options are numbered from 1. Invariant: a number answers as one of them
 * or not at all; a mistyped one is never taken for words.
 */
export type Choice =
  | { readonly kind: 'answer'; readonly answer: string }
  /** Why nothing is answered, and how it could be. */
  | { readonly kind: 'refused'; readonly says: string };

/** '2', '2.', '2)' and '#2' choose the second option; without options, and in other words, it is the answer itself. */
export function chosenOption(options: readonly string[], words: string): Choice {
  const text = words.trim();
  const [, number] = /^#?(\d+)[.)]?$/.exec(text) ?? [];
  const chosen = number === undefined ? undefined : options[Number(number) - 1];
  if (chosen !== undefined) return { kind: 'answer', answer: chosen };
  if (number === undefined || options.length === 0 || options.includes(text)) return { kind: 'answer', answer: text };
  const known = options.map((option, index) => `${index + 1}. ${shortened(option)}`).join(', ');
  return { kind: 'refused', says: `There is no option ${number}, only ${known}. Choose one, or answer in words.` };
}

const mostShown = 60;

function shortened(option: string): string {
  const line = option.split('\n', 1)[0] ?? '';
  return line.length > mostShown ? `${line.slice(0, mostShown - 1)}…` : line;
}
