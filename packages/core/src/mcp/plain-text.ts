/**
 * Makes words of a server fit to stand in a line of ours. They are foreign: nothing in them begins a new line, hides, or
 * speaks in the frame of a reminder.
 */
const hidden = /[\p{Cc}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]+/gu;

export function plainText(text: string): string {
  return text.replace(hidden, ' ').replace(/\s+/g, ' ').trim();
}

/** At the end of a word, at most `chars` long. */
export function shortText(text: string, chars: number): string {
  const plain = plainText(text);
  if (plain.length <= chars) return plain;
  const cut = plain.slice(0, chars - 1).replace(/[\ud800-\udbff]$/, '');
  const end = cut.lastIndexOf(' ');
  return `${end > chars / 2 ? cut.slice(0, end) : cut}…`;
}

/** What a description begins with: to the end of its first sentence. */
export function firstSentence(description: string, chars: number): string {
  const plain = plainText(description);
  const end = /[.!?](?=\s|$)/.exec(plain);
  return shortText(end === null ? plain : plain.slice(0, end.index), chars);
}
