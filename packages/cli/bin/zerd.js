#!/usr/bin/env node
// One command, several programs: each is loaded only when it is the one that is wanted.
const [, , word, ...more] = process.argv;
const asksForHelp = more.some((argument) => argument === '--help' || argument === '-h');
const isOption = word !== undefined && /^--(?:model|mode|trust)\b/.test(word);
if (word === 'acp' && !asksForHelp) import('../../acp/dist/acp.mjs');
else if (!asksForHelp && (word === 'attach' || isOption || (word === undefined && process.stdout.isTTY)))
  import('../../tui/dist/bundle/tui.js');
else require('../dist/zerd.cjs');
