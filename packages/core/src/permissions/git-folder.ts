/** Whether a path names the folder of git, or what lies in it: its hooks and settings are commands that git runs later. */
export function namesGit(path: string): boolean {
  return path.split('/').some((name) => name.toLowerCase() === '.git');
}
