/** The licences of the packages that are bundled: each asks that its text goes along with its code. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../tree.mjs';

export function noticesOf(bundles) {
  const inputs = bundles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap((output) => Object.keys(output.inputs)),
  );
  const folders = new Set(inputs.flatMap((input) => packageFolder(input) ?? []));
  const notices = [...folders].map(noticeOf).sort((a, b) => (a.title < b.title ? -1 : 1));
  const once = notices.filter(({ title }, index) => notices[index - 1]?.title !== title);
  return `# Third-party notices\n\nzerd contains code of these packages.\n${once.map(textOf).join('')}`;
}

/** `packages/x/node_modules/@a/b/c.js` is of `packages/x/node_modules/@a/b`. */
function packageFolder(input) {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
}

function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
  if (license === undefined) throw new Error(`${folder} names no licence`);
  const path = file === undefined ? undefined : join(root, folder, file);
  const text = path !== undefined && existsSync(path) ? readFileSync(path, 'utf8').trim() : 'It carries no text of it.';
  return { title: `${name} ${version}`, license, text };
}

function textOf({ title, license, text }) {
  return `\n## ${title} (${license})\n\n\`\`\`\`text\n${text}\n\`\`\`\`\n`;
}
