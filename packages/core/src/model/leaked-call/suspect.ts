/**
 * Decides whether an answer that has no calls ends in what was meant as one, though nothing could read it as such: broken
 * markup, a tool that does not exist, arguments that do not fit. Invariant: inside a code fence or a sentence such markup
 * is text.
 */
import type { ToolDeclaration } from '../prompt.ts';
import { families } from './families.ts';
import { insideFence } from './fence.ts';

/** Longer texts are not looked at, and in a long tail the name of the tool stands near its beginning. */
const longest = 256 * 1024;
const nameWithin = 200;
/** A text with more beginnings is about calls. */
const mostOpenings = 64;

/** What calls end with; words behind them make it a text about calls. A fence may close around all of it. */
const closing = /(?:[>\])}|]|\n```)$/;

/** Forms that carry marks of their own begin anywhere; the others with the text or a line, and with a declared tool. */
const marked = families.filter(({ begins }) => !begins.source.startsWith('^'));
const unmarked = families.filter(({ begins }) => begins.source.startsWith('^'));

export function looksLikeCall(text: string, tools: readonly Pick<ToolDeclaration, 'name'>[]): boolean {
  const said = text.trimEnd();
  if (said.length > longest || !closing.test(said)) return false;
  if (marked.some(({ begins }) => tailsOf(said, begins).length > 0)) return true;
  const named = namingOneOf(tools.map(({ name }) => name));
  return unmarked.some(({ begins }) => tailsOf(said, begins).some((tail) => named.test(tail.slice(0, nameWithin))));
}

/** From each beginning that starts a line outside a fence to the end. */
function tailsOf(text: string, begins: RegExp): readonly string[] {
  const openings = [...text.matchAll(begins)].map((match) => match.index);
  if (openings.length > mostOpenings) return [];
  return openings.filter((at) => startsLine(text, at) && !insideFence(text, at)).map((at) => text.slice(at));
}

function startsLine(text: string, at: number): boolean {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^\s*(?:<\/think>\s*)?$/.test(line) || /^<\/think>/.test(text.slice(at));
}

function namingOneOf(names: readonly string[]): RegExp {
  const any = names.map((name) => name.replace(/[^\w]/g, '\\$&')).join('|');
  return new RegExp(
    `"name"\\s*:\\s*"(?:${any})"|^\\s*\\[\\s*(?:${any})\\(|^Action:[ \\t]*(?:${any})\\b[^\\n]*\\n\\s*Action Input:`,
  );
}
