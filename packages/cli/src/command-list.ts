/** The commands of `zerd`, in the order of the help. */
import type { Command } from './command.ts';
import { acpCommand } from './commands/acp.ts';
import { answerCommand } from './commands/answer.ts';
import { archiveCommand } from './commands/archive.ts';
import { attachCommand } from './commands/attach.ts';
import { compactCommand } from './commands/compact.ts';
import { completionCommand } from './commands/completion.ts';
import { contextCommand } from './commands/context.ts';
import { costCommand } from './commands/cost.ts';
import { deleteCommand } from './commands/delete.ts';
import { doctorCommand } from './commands/doctor.ts';
import { driveCommand } from './commands/drive.ts';
import { exportCommand } from './commands/export.ts';
import { findCommand } from './commands/find.ts';
import { forgetCommand } from './commands/forget.ts';
import { forkCommand } from './commands/fork.ts';
import { grantsCommand } from './commands/grants.ts';
import { indexCommand } from './commands/index-command.ts';
import { jobsCommand } from './commands/jobs.ts';
import { loginCommand } from './commands/login.ts';
import { logoutCommand } from './commands/logout.ts';
import { mcpCommand } from './commands/mcp.ts';
import { notesCommand } from './commands/notes.ts';
import { rewindCommand } from './commands/rewind.ts';
import { rpcCommand } from './commands/rpc.ts';
import { runCommand } from './commands/run.ts';
import { sayCommand } from './commands/say.ts';
import { searchCommand } from './commands/search.ts';
import { sessionsCommand } from './commands/sessions.ts';
import { trustCommand } from './commands/trust.ts';
import { watchCommand } from './commands/watch.ts';

export const commands: readonly Command[] = [
  attachCommand,
  runCommand,
  driveCommand,
  sayCommand,
  answerCommand,
  watchCommand,
  sessionsCommand,
  costCommand,
  contextCommand,
  compactCommand,
  forkCommand,
  rewindCommand,
  exportCommand,
  archiveCommand,
  notesCommand,
  jobsCommand,
  mcpCommand,
  searchCommand,
  findCommand,
  indexCommand,
  loginCommand,
  logoutCommand,
  trustCommand,
  grantsCommand,
  deleteCommand,
  forgetCommand,
  doctorCommand,
  rpcCommand,
  acpCommand,
  completionCommand,
];
