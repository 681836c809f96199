/**
 * The README of the package: that of the repository without what needs a clone, and without pictures, which lie there. A
 * heading that is gone is an error.
 */

/** Sections, and within one a subsection, that speak of the repository. */
const leftOut = ['## Try it', '### From a clone', '## What the simulator shows, and what it does not', '## More'];

export function packageReadme(text) {
  return leftOut.reduce(without, text).replaceAll(/\n!\[[^\]]*\]\(docs\/[^)]*\)\n/g, '');
}

function without(text, heading) {
  const start = text.indexOf(`\n${heading}\n`);
  if (start < 0) throw new Error(`README.md has no heading '${heading}'`);
  const level = heading.indexOf(' ');
  const next = new RegExp(`\\n#{2,${level}} `, 'g');
  next.lastIndex = start + heading.length + 1;
  const end = next.exec(text)?.index ?? text.length;
  return text.slice(0, start) + text.slice(end);
}
