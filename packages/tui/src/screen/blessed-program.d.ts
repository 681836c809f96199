/** What is used of blessed: its program, which reads keys and writes to a terminal. The package has no types for this file. */
declare module 'blessed/lib/program.js' {
  import type { EventEmitter } from 'node:events';

  const program: (options: {
    readonly input: NodeJS.ReadableStream;
    readonly output: NodeJS.WritableStream;
    /** False: no terminfo is read. */
    readonly tput: false;
    readonly buffer: false;
  }) => EventEmitter;
  export = program;
}
