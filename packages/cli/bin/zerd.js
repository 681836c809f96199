#!/usr/bin/env node
// One command, several programs: each is loaded only when it is the one that is wanted.
const [, , word, ...more] = process.argv;
const asksForHelp = more.some((argument) => argument === '--help' || argument === '-h');
if (word === 'acp' && !asksForHelp) import('../../acp/dist/acp.mjs');
else require('../dist/zerd.cjs');
