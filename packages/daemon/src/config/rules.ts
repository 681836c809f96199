/** How much of files of rules the model is shown, and which of them a session begins with. */
import type { Config } from './load.ts';

export interface RulesSettings {
  /** Bytes of each file that a session begins with. */
  readonly root: number;
  /** Bytes of one file that comes with a folder, and of all that come with one call. */
  readonly folder: number;
  readonly allFolders: number;
  /** The user's own configuration file: their rules for all repositories lie beside it. */
  readonly configFile: string;
  /** More files that the user names, relative to the root. */
  readonly named: readonly string[];
}

/** About 4,000 tokens: paid by every request of the session. */
const rootBytes = 16_000;
const folderBytes = 8_000;

export function rulesSettings({ file, rules }: Pick<Config, 'file' | 'rules'>): RulesSettings {
  const folder = rules.folderBytes ?? folderBytes;
  return {
    root: rules.rootBytes ?? rootBytes,
    folder,
    allFolders: 2 * folder,
    configFile: file,
    named: rules.files ?? [],
  };
}
