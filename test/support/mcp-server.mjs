/**
 * A small MCP server over standard input and output, without the SDK, so that it can also misbehave: what it is told on its
 * command line (`silent`, `noisy`, ...) it does. It notes what it is sent in the file named by `MCP_NOTES`.
 */
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const does = new Set(process.argv.slice(2));
const { env } = process;
const { MCP_NOTES } = env;
let listed = does.has('odd-tools') ? oddTools() : usualTools();
let cancelled = () => {};
let onStep = () => {};
let steps = 0;
process.on('SIGUSR2', () => {
  steps += 1;
  onStep(steps);
});

note({ started: process.pid });
if (does.has('ignores-terms')) process.on('SIGTERM', () => {});
if (does.has('greets')) process.stdout.write('Welcome to the server!\n{"half": \n');
if (does.has('complains')) complain(Number(env.MCP_COMPLAINT_BYTES ?? 100_000_000));
if (does.has('fails')) {
  process.stderr.write(`no database at ${env.MCP_TOKEN ?? 'localhost'}\n`);
  process.exit(3);
}
if (does.has('grandchild')) {
  const { pid } = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
  note({ grandchild: pid });
}

const input = createInterface({ input: process.stdin });
input.on('line', (line) => take(JSON.parse(line)));
input.on('close', () => {
  note({ ended: process.pid });
  if (does.has('ignores-end')) setInterval(() => {}, 1_000);
  else process.exit(0);
});

function take({ id, method, params }) {
  note({ method, ...(params?.name === undefined ? {} : { tool: params.name }) });
  const answer = (result) => send({ id, result });
  switch (method) {
    case 'initialize':
      if (!does.has('silent')) answer(introduction(params.protocolVersion));
      return;
    case 'tools/list':
      if (!does.has('silent-list')) answer(page(params?.cursor));
      return;
    case 'tools/call':
      return call(params, answer);
    case 'notifications/cancelled':
      return cancelled();
    default:
      if (id !== undefined) send({ id, error: { code: -32601, message: 'Method not found' } });
  }
}

function introduction(protocolVersion) {
  const instructions = does.has('odd-tools') ? 'Be\u202e nice\u{e0041}.' : 'Use echo.';
  const capabilities = { tools: { listChanged: true } };
  return { protocolVersion, capabilities, serverInfo: { name: 'test', version: '1' }, instructions };
}

/** Two pages, so that both are read. */
function page(cursor) {
  const half = Math.ceil(listed.length / 2);
  return cursor === undefined ? { tools: listed.slice(0, half), nextCursor: 'more' } : { tools: listed.slice(half) };
}

function call({ name, arguments: given = {}, _meta }, answer) {
  const text = (words) => answer({ content: [{ type: 'text', text: words }] });
  const progress = (n) =>
    send({
      method: 'notifications/progress',
      params: { progressToken: _meta?.progressToken, progress: n, message: `step ${n}` },
    });
  switch (name) {
    case 'echo':
      return text(String(given.text));
    case 'env':
      return text(String(env[given.name]));
    case 'refuse':
      return answer({ content: [{ type: 'text', text: 'It does not go.' }], isError: true });
    case 'picture':
      return answer({
        content: [
          { type: 'image', data: Buffer.from('png').toString('base64'), mimeType: 'image/png' },
          { type: 'resource_link', uri: 'file:///a', name: 'a' },
          { type: 'resource', resource: { uri: 'file:///b', text: 'b' } },
        ],
      });
    case 'wait':
      cancelled = () => does.has('answers-late') && text('too late');
      for (let step = 1; step <= (given.steps ?? 0); step += 1) progress(step);
      onStep = progress;
      return;
    case 'die':
      process.stderr.write('it hurts\n');
      return process.exit(7);
    case 'grow':
      listed = [...listed, tool('grown')];
      send({ method: 'notifications/tools/list_changed' });
      return text('grown');
    case 'garbage':
      return process.stdout.write('this is no message\n', () => text('after garbage'));
    case 'flood':
      return process.stdout.write('x'.repeat(65 * 1024 * 1024));
    default:
      return text(`no ${name}`);
  }
}

function usualTools() {
  return ['echo', 'env', 'refuse', 'picture', 'wait', 'die', 'grow', 'garbage', 'flood'].map((name) => tool(name));
}

function oddTools() {
  return [
    tool('echo', 'Says\u0007 it\u{e0041}\u{e0042}\u202e again.'),
    tool('echo', 'Another one.'),
    tool('two words'),
    tool('x'.repeat(129)),
    tool('bidi\u202e'),
    { name: 'bare' },
    { name: 'huge', inputSchema: { type: 'object', description: 'x'.repeat(40_000) } },
    { name: 'hidden', inputSchema: { type: 'object', properties: { a: { enum: ['b\u{e0043}'] } } } },
    tool('fine/name.v2'),
  ];
}

function tool(name, description = `The tool ${name}.`) {
  return { name, description, inputSchema: { type: 'object', properties: { text: { type: 'string' } } } };
}

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

function note(what) {
  if (MCP_NOTES !== undefined) appendFileSync(MCP_NOTES, `${JSON.stringify(what)}\n`);
}

/** As fast as it is read. */
function complain(bytes) {
  const chunk = 'complaint '.repeat(6_400);
  let left = bytes;
  const more = () => {
    while (left > 0) {
      left -= chunk.length;
      if (!process.stderr.write(chunk)) return void process.stderr.once('drain', more);
    }
    note({ complained: bytes });
  };
  more();
}
