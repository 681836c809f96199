/**
 * Whether a file was left by a process that is dead, by a name of the form `<pid>-<mark of the process>...`. `form` has the
 * pid as its group; `own` is how names of this very process begin: a pid may come again.
 */
export function isLeftByDead(name: string, form: RegExp, own: string): boolean {
  const pid = Number(form.exec(name)?.[1]);
  if (Number.isNaN(pid) || name.startsWith(own)) return false;
  return pid === process.pid || !isAlive(pid);
}

/** Whether a process has this pid, anybody's. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
