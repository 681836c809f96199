/** What a command is: its words, its options by name, its examples, and what it does. One file each in commands/. */
import type { ZerdClient } from '@zerd/protocol/node/client';
import type { Clock } from '@zerd/protocol/node/clock';
import type { InferredOptionTypes, PositionalOptions } from 'yargs';
import type { OptionName, OptionValues } from './options.ts';
import type { Terminal } from './terminal.ts';

/** The repository's daemon, started when there is none; a private one; or only one that runs already. */
export type Reach = 'daemon' | 'private' | 'never';

/** What a command works with. */
export interface Context {
  readonly terminal: Terminal;
  readonly clock: Clock;
  /** Rejects with ZerdError. */
  connect(how: Reach): Promise<ZerdClient>;
}

/** Things that the first word of a command names: a sentence for each, and the whole help about one. */
export interface Topics {
  /** What such a thing is called. */
  readonly noun: string;
  readonly words: Readonly<Record<string, string>>;
  /** Undefined: there is no such thing. */
  help(word: string, columns: number): string | undefined;
}

export interface Command {
  readonly name: string;
  /** The words after `zerd`, with positionals as yargs writes them. */
  readonly usage: string;
  readonly says: string;
  readonly positionals: Readonly<Record<string, PositionalOptions>>;
  readonly options: readonly OptionName[];
  readonly examples: readonly (readonly [line: string, says: string])[];
  /** What options mean here, in place of their usual words. */
  readonly words?: Partial<Readonly<Record<OptionName, string>>>;
  /** Shown under the help of the command. */
  readonly epilogue?: string | ((columns: number) => string);
  readonly topics?: Topics;
  /** The exit status of a failure; absent: by its code. */
  readonly failedStatus?: number;
  /** A complaint about arguments that parse but make no sense together. */
  complaint(args: object): string | undefined;
  /** Settles with the exit status. Failures reject with ZerdError. */
  perform(args: object, context: Context): Promise<number>;
}

type Values<N extends OptionName, P extends Readonly<Record<string, PositionalOptions>>> = OptionValues<N> &
  Readonly<InferredOptionTypes<P>>;

/** Gives `complaint` and `perform` the types that follow from the declarations. */
export function defineCommand<N extends OptionName, const P extends Readonly<Record<string, PositionalOptions>>>(
  command: Omit<Command, 'options' | 'positionals' | 'complaint' | 'perform'> & {
    readonly positionals: P;
    readonly options: readonly N[];
    complaint?(args: Values<N, P>): string | undefined;
    perform(args: Values<N, P>, context: Context): Promise<number>;
  },
): Command {
  // yargs has validated the arguments against these very declarations before either is called.
  return {
    ...command,
    complaint: (args) => command.complaint?.(args as Values<N, P>),
    perform: (args, context) => command.perform(args as Values<N, P>, context),
  };
}
