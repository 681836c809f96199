/**
 * Writes what follows from the built method table, for people and programs outside: `protocol/schema/` (JSON Schema,
 * OpenRPC, types, and the words that `zerd rpc --help` prints) and the page docs/protocol.md. The same table gives the
 * same bytes. With `--check` nothing is written, and what differs from the committed files is a finding.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorTable } from '../protocol/dist/common/errors.js';
import { protocolRange } from '../protocol/dist/common/version.js';
import { openRpcOf } from './generate/open-rpc.mjs';
import { pageOf, referenceOf } from './generate/reference.mjs';
import { readTable } from './generate/table.mjs';
import { typesOf } from './generate/types.mjs';
import { fail, pass, root } from './tree.mjs';

const table = readTable();
const { methods, $defs } = table;

const files = {
  'protocol/schema/methods.json': json({ protocol: protocolRange, methods, errors: errorTable, $defs }),
  'protocol/schema/openrpc.json': json(openRpcOf(table, errorTable, protocolRange.max)),
  'protocol/schema/reference.json': json(referenceOf(table)),
  'protocol/schema/types.d.ts': await typesOf(table),
  'docs/protocol.md': pageOf(table, errorTable, protocolRange),
};

if (process.argv.includes('--check')) {
  const stale = Object.keys(files).filter((path) => files[path] !== committed(path));
  if (stale.length > 0)
    fail(
      'generated',
      stale.map((path) => `${path} is stale: npm run generate`),
    );
} else {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}
pass(
  'generated',
  `${Object.keys(methods).length} methods, ${Object.keys(errorTable).length} errors in ${Object.keys(files).length} files`,
);

function json(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function committed(path) {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    return undefined;
  }
}
