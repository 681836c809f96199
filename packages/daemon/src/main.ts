/** The process `zerdd`: importing this module runs the command line and ends the process with its exit code. */
import { run } from './zerdd/run.ts';

let running: Promise<void> | undefined;

/** Runs once, however often it is called; the import has called it already. */
export function main(): Promise<void> {
  running ??= runAndExit();
  return running;
}

async function runAndExit(): Promise<void> {
  process.exit(await run(process.argv.slice(2)));
}

void main();
