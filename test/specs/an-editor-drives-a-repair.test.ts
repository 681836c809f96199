/**
 * An editor speaks the Agent Client Protocol with the built `zerd acp` over real pipes: it drives a repair with
 * permissions, cancels, loads the session again, and shares it with another client.
 */
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { sessionIdSchema } from '@zerd/protocol/common/ids';
import type { Step } from '@zerd/simulator/players/player';
import { allow, openEditor, textOf } from '../support/editor.ts';
import { type HouseWish, inHouse } from '../support/house.ts';

const files = {
  'sum.sh': 'sum() {\n  echo $(($1 - $2))\n}\n',
  'test.sh': '. ./sum.sh\n[ "$(sum 2 2)" = 4 ] && echo passed\n',
};

const repair: readonly Step[] = [
  {
    calls: [
      { name: 'todo', input: { list: '[>] find it\n[ ] mend it' } },
      { name: 'read', input: { path: 'sum.sh' } },
    ],
  },
  { calls: [{ name: 'edit', input: { path: 'sum.sh', old: '$1 - $2', new: '$1 + $2' } }] },
  { calls: [{ name: 'shell', input: { command: 'sh test.sh' } }] },
  { text: 'Mended: the sum added nothing.' },
];

const say = (text: string) => [{ type: 'text' as const, text }];

test('a repair with permissions: calls with diffs and places, a plan, usage with its cost, and the file mended', async () => {
  await inHouse({ files, steps: repair }, async (house) => {
    await house.zerd(['trust']);
    const editor = await openEditor(house, { permit: allow });
    try {
      const { sessionId, modes, configOptions } = await editor.agent.request('session/new', {
        cwd: house.repository,
        mcpServers: [],
      });
      expect([modes?.currentModeId, configOptions?.[0]?.id]).toEqual(['ask', 'model']);
      expect(await editor.agent.request('session/prompt', { sessionId, prompt: say('Mend it') })).toEqual({
        stopReason: 'end_turn',
      });
      expect(readFileSync(join(house.repository, 'sum.sh'), 'utf8')).toContain('$1 + $2');
      expect(editor.asked.map(({ toolCall }) => [toolCall.kind, toolCall.status])).toEqual([
        ['edit', 'pending'],
        ['execute', 'pending'],
      ]);
      const { updates } = editor;
      expect(textOf(updates, 'agent_message_chunk')).toBe('Mended: the sum added nothing.');
      expect(updates).toContainEqual({
        sessionUpdate: 'plan',
        entries: [
          { content: 'find it', priority: 'medium', status: 'in_progress' },
          { content: 'mend it', priority: 'medium', status: 'pending' },
        ],
      });
      const edited = updates
        .filter((update) => update.sessionUpdate === 'tool_call_update')
        .filter(({ status }) => status !== undefined);
      expect(edited.flatMap(({ content }) => content ?? [])).toContainEqual({
        type: 'diff',
        path: join(house.repository, 'sum.sh'),
        oldText: '$1 - $2',
        newText: '$1 + $2',
      });
      const begun = updates
        .filter((update) => update.sessionUpdate === 'tool_call')
        .map(({ toolCallId }) => toolCallId);
      // Calls that run at the same time end in any order.
      expect(edited.map(({ toolCallId }) => toolCallId).sort()).toEqual(begun.sort());
      expect(updates.findLast((update) => update.sessionUpdate === 'usage_update')).toMatchObject({
        size: 200_000,
        cost: { currency: 'USD', amount: expect.any(Number) },
      });
    } finally {
      await editor.close();
    }
  });
});

test('cancel ends the turn within its prompt, a loaded session tells its whole story, and another client is in it', async () => {
  const steps: readonly Step[] = [
    { text: 'Well.' },
    { calls: [{ name: 'shell', input: { command: 'sleep 600' } }] },
    { text: 'And on.' },
  ];
  await inHouse({ files, steps }, async (house) => {
    await house.zerd(['trust']);
    const editor = await openEditor(house, { permit: allow });
    const { sessionId } = await editor.agent.request('session/new', { cwd: house.repository, mcpServers: [] });
    await editor.agent.request('session/prompt', { sessionId, prompt: say('Hello') });
    await editor.agent.request('session/set_mode', { sessionId, modeId: 'full' });
    const ended = editor.agent.request('session/prompt', { sessionId, prompt: say('Wait') });
    while (!editor.updates.some((update) => update.sessionUpdate === 'tool_call'))
      await new Promise((resolve) => setTimeout(resolve, 10));
    await editor.agent.notify('session/cancel', { sessionId });
    expect(await ended).toEqual({ stopReason: 'cancelled' });
    const other = await house.connect();
    await other.request('turn/start', { sessionId: sessionIdSchema.parse(sessionId), text: 'From a terminal' });
    while (!textOf(editor.updates, 'agent_message_chunk').includes('And on.'))
      await new Promise((resolve) => setTimeout(resolve, 10));
    expect(textOf(editor.updates, 'user_message_chunk')).toBe('From a terminal');
    await editor.close();
    const second = await openEditor(house, { permit: allow });
    const listed = await second.agent.request('session/list', { cwd: house.repository });
    expect(listed.sessions.map((session) => [session.sessionId, session.title])).toEqual([[sessionId, 'Hello']]);
    await second.agent.request('session/load', { sessionId, cwd: house.repository, mcpServers: [] });
    expect(textOf(second.updates, 'user_message_chunk')).toBe('HelloWaitFrom a terminal');
    expect(textOf(second.updates, 'agent_message_chunk')).toBe('Well.And on.');
    await second.close();
  });
});

test('F-32: an editor that cannot ask is noticed once, and what needs permission is denied with that reason', async () => {
  const steps: readonly Step[] = [
    { calls: [{ name: 'shell', input: { command: 'touch one' } }] },
    { calls: [{ name: 'shell', input: { command: 'touch two' } }] },
    { text: 'Denied.' },
  ];
  await inHouse({ files, steps }, async (house) => {
    await house.zerd(['trust']);
    const editor = await openEditor(house);
    const { sessionId } = await editor.agent.request('session/new', { cwd: house.repository, mcpServers: [] });
    await editor.agent.request('session/prompt', { sessionId, prompt: say('Run it') });
    expect(textOf(editor.updates, 'agent_message_chunk').split('cannot ask for permission')).toHaveLength(2);
    const events = await house.events(sessionId);
    expect(events.flatMap(({ event }) => (event.kind === 'approval.answered' ? [event.reason] : []))).toEqual([
      'the editor cannot ask for permission',
      'the editor cannot ask for permission',
    ]);
    await editor.close();
  });
});

test('a model that a terminal chooses while a turn runs is the one that the editor shows', async () => {
  const steps: readonly Step[] = [{ calls: [{ name: 'shell', input: { command: 'touch one' } }] }, { text: 'Done.' }];
  const config: HouseWish['config'] = (usual) => {
    const { sim } = usual.providers;
    return { ...usual, providers: { sim: { ...sim, models: [...sim.models, { id: 'small' }] } } };
  };
  await inHouse({ files, steps, config, models: { '*': { window: 200_000, maxOutput: 64_000 } } }, async (house) => {
    await house.zerd(['trust']);
    let permit = () => {};
    const permitted = new Promise<void>((resolve) => {
      permit = resolve;
    });
    const editor = await openEditor(house, { permit: () => permitted.then(allow) });
    const { sessionId } = await editor.agent.request('session/new', { cwd: house.repository, mcpServers: [] });
    const ended = editor.agent.request('session/prompt', { sessionId, prompt: say('Run it') });
    while (editor.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    const terminal = await house.connect();
    await terminal.request('model/select', { sessionId: sessionIdSchema.parse(sessionId), model: 'sim/small' });
    permit();
    expect(await ended).toEqual({ stopReason: 'end_turn' });
    const shown = editor.updates.flatMap((update) =>
      update.sessionUpdate === 'config_option_update' ? [update.configOptions[0]?.currentValue] : [],
    );
    expect(shown).toEqual(['sim/small', 'sim/small']);
    expect(house.gateway.requests.map(({ bodyText }) => JSON.parse(bodyText).model)).toEqual(['sim', 'small']);
    await editor.close();
  });
});

const waiting = 'printf "\\033[32mone\\033[0m\\n"; until test -e go; do sleep 0.05; done; echo two; exit 3';

test.each([
  ['an editor that shows terminals of the agent sees a command at work in one, and how it ended', true],
  ['any other editor sees the end of what a command has written so far', false],
] as const)('%s', async (_, terminals) => {
  const steps: readonly Step[] = [{ calls: [{ name: 'shell', input: { command: waiting } }] }, { text: 'Ran.' }];
  await inHouse({ files, steps }, async (house) => {
    await house.zerd(['trust']);
    const editor = await openEditor(house, { permit: allow, ...(terminals && { terminals }) });
    const { sessionId } = await editor.agent.request('session/new', { cwd: house.repository, mcpServers: [] });
    await editor.agent.request('session/set_mode', { sessionId, modeId: 'full' });
    const ended = editor.agent.request('session/prompt', { sessionId, prompt: say('Run it') });
    const ofCall = () =>
      editor.updates
        .filter((update) => /^tool_call/.test(update.sessionUpdate))
        .map((update) => JSON.stringify(update));
    while (!ofCall().at(-1)?.includes('one\\n')) await new Promise((resolve) => setTimeout(resolve, 10));
    writeFileSync(join(house.repository, 'go'), '');
    expect(await ended).toEqual({ stopReason: 'end_turn' });
    const told = editor.updates.filter((update) => /^tool_call/.test(update.sessionUpdate)) as readonly Told[];
    const id = told[0]?.toolCallId ?? '';
    if (terminals) {
      expect(told[0]).toMatchObject({
        content: [{ type: 'terminal', terminalId: id }],
        _meta: { terminal_info: { terminal_id: id, cwd: house.repository } },
      });
      expect(told.map(({ _meta }) => _meta?.terminal_output?.data ?? '').join('')).toBe('one\ntwo\n');
      expect(told.at(-1)).toMatchObject({
        status: 'failed',
        content: [{ type: 'terminal', terminalId: id }],
        _meta: { terminal_exit: { terminal_id: id, exit_code: 3, signal: null } },
      });
    } else {
      expect(told[1]?.content).toEqual([{ type: 'content', content: { type: 'text', text: 'one\n' } }]);
      expect(told.at(-1)?.content?.[0]?.content?.text).toContain('one\ntwo');
      expect(told.some(({ _meta }) => _meta !== undefined)).toBe(false);
    }
    await editor.close();
  });
});

interface Told {
  readonly toolCallId: string;
  readonly content?: readonly { readonly content?: { readonly text: string } }[];
  readonly _meta?: { readonly terminal_output?: { readonly data: string } };
}

test('F-31: what a terminal answers first is no longer asked in the editor', async () => {
  const steps: readonly Step[] = [{ calls: [{ name: 'shell', input: { command: 'touch one' } }] }, { text: 'Done.' }];
  await inHouse({ files, steps }, async (house) => {
    await house.zerd(['trust']);
    const editor = await openEditor(house, { permit: () => new Promise(() => {}) });
    const { sessionId } = await editor.agent.request('session/new', { cwd: house.repository, mcpServers: [] });
    const ended = editor.agent.request('session/prompt', { sessionId, prompt: say('Run it') });
    while (editor.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    const terminal = await house.connect();
    const id = sessionIdSchema.parse(sessionId);
    const { pendingApprovals } = await terminal.request('session/read', { sessionId: id });
    const [{ approvalId, digest } = { approvalId: undefined, digest: '' }] = pendingApprovals;
    if (approvalId === undefined) throw new Error('nothing is asked');
    await terminal.request('approval/answer', { sessionId: id, approvalId, digest, decision: 'granted' });
    expect(await ended).toEqual({ stopReason: 'end_turn' });
    await editor.close();
  });
});

test('S-02: the adapter and its daemon listen on no TCP port', async () => {
  await inHouse({ files, steps: [{ text: 'Yes.' }] }, async (house) => {
    await house.zerd(['trust']);
    const editor = await openEditor(house, { permit: allow });
    const { sessionId } = await editor.agent.request('session/new', { cwd: house.repository, mcpServers: [] });
    await editor.agent.request('session/prompt', { sessionId, prompt: say('There?') });
    const daemon = (await house.connect()).hello.daemon.pid;
    expect([editor.process.pid, daemon].map((pid) => listens(pid ?? 0))).toEqual([[], []]);
    await editor.close();
  });
});

/** Inodes of sockets that a process listens on (state 0A of /proc/net/tcp). */
function listens(pid: number): readonly string[] {
  const inodes = new Set(
    ['tcp', 'tcp6'].flatMap((name) =>
      readFileSync(`/proc/${pid}/net/${name}`, 'utf8')
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.trim().split(/\s+/))
        .flatMap((cells) => (cells[3] === '0A' ? [`socket:[${cells[9]}]`] : [])),
    ),
  );
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/${pid}/fd/${fd}`);
      return inodes.has(target) ? [target] : [];
    } catch {
      // It was closed meanwhile.
      return [];
    }
  });
}

test('a session that an editor asked for and nobody used goes with it, or when it is closed, unless somebody else is in it', async () => {
  await inHouse({ files, steps: [{ text: 'Hello.' }] }, async (house) => {
    await house.zerd(['trust']);
    const editor = await openEditor(house, { permit: allow });
    const begin = () => editor.agent.request('session/new', { cwd: house.repository, mcpServers: [] });
    const other = await house.connect();
    const left = async () =>
      (await other.request('session/list', {})).sessions.map(({ sessionId }) => sessionId).sort();
    const [closed, left1, used, followed] = [await begin(), await begin(), await begin(), await begin()];
    expect(await left()).toHaveLength(4);
    await editor.agent.request('session/set_mode', { sessionId: closed.sessionId, modeId: 'full' });
    await editor.agent.request('session/close', { sessionId: closed.sessionId });
    expect(await left()).toEqual([left1, used, followed].map(({ sessionId }) => sessionId).sort());
    await editor.agent.request('session/prompt', { sessionId: used.sessionId, prompt: say('Hello') });
    await other.request('session/subscribe', { sessionId: sessionIdSchema.parse(followed.sessionId) });
    await editor.close();
    expect(await left()).toEqual([used, followed].map(({ sessionId }) => sessionId).sort());
  });
});

test('what is missing is said with what to do: an untrusted repository, an unknown session', async () => {
  await inHouse({ files }, async (house) => {
    const editor = await openEditor(house, { permit: allow });
    await expect(editor.agent.request('session/new', { cwd: house.repository, mcpServers: [] })).rejects.toMatchObject({
      message: expect.stringContaining('Run `zerd trust` there'),
    });
    await house.zerd(['trust']);
    await expect(
      editor.agent.request('session/load', { sessionId: 'ses_none', cwd: house.repository, mcpServers: [] }),
    ).rejects.toMatchObject({ code: -32_002 });
    await editor.close();
  });
});

test('a file that is not saved is sent as it stands in the editor', async () => {
  await inHouse({ files, steps: [{ text: 'Seen.' }] }, async (house) => {
    await house.zerd(['trust']);
    const path = join(house.repository, 'sum.sh');
    const editor = await openEditor(house, { permit: allow, unsaved: { [path]: 'unsaved text' } });
    const { sessionId } = await editor.agent.request('session/new', { cwd: house.repository, mcpServers: [] });
    await editor.agent.request('session/prompt', {
      sessionId,
      prompt: [...say('Look at'), { type: 'resource_link', name: 'sum.sh', uri: `file://${path}` }],
    });
    expect(house.gateway.requests[0]?.bodyText).toContain('unsaved text');
    await editor.close();
  });
});
