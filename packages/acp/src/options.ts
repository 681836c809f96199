/** What an editor can choose of a session: its mode and its model, as zerd names them; and the commands that it may type. */
import type { AvailableCommand, SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk';
import type { ResultOf } from '@zerd/protocol/common/methods';
import type { Mode } from '@zerd/protocol/common/mode';

export const modes: Readonly<Record<Mode, readonly [name: string, description: string]>> = {
  'read-only': ['Read only', 'Reads and searches; changes nothing'],
  ask: ['Ask', 'Asks before every change and every command'],
  edit: ['Edit', 'Changes files by itself, asks before commands'],
  full: ['Full', 'Changes files and runs commands by itself'],
};

export function isMode(text: string): text is Mode {
  return Object.hasOwn(modes, text);
}

export function modeState(currentModeId: Mode): SessionModeState {
  return {
    currentModeId,
    availableModes: Object.entries(modes).map(([id, [name, description]]) => ({ id, name, description })),
  };
}

export const modelOption = 'model';

export function configOptions(
  current: string,
  models: readonly { readonly id: string; readonly ready: boolean }[],
): SessionConfigOption[] {
  const usable = models.filter(({ id, ready }) => ready || id === current).map(({ id }) => ({ value: id, name: id }));
  const options = usable.some(({ value }) => value === current)
    ? usable
    : [{ value: current, name: current }, ...usable];
  return [{ type: 'select', id: modelOption, name: 'Model', category: 'model', currentValue: current, options }];
}

export const commands: readonly AvailableCommand[] = [
  { name: 'compact', description: 'Sum up the older part of the conversation' },
  { name: 'cost', description: 'What this session cost so far' },
];

/** A skill is called as a command is, unless one has its name. */
export function skillCommands(skills: ResultOf<'skill/list'>['skills']): readonly AvailableCommand[] {
  const others = skills.filter((skill) => !commands.some(({ name }) => name === skill.name));
  return others.map(({ name, description }) => ({ name, description, input: { hint: 'what it is about' } }));
}
