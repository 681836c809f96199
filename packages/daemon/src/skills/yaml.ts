/**
 * Reads the YAML of a head as nothing but text: no tags, no types, no references beyond a few, and no code, whatever
 * stands in it. Loaded when the first skill is found.
 */
import { loadLate } from '@zerd/protocol/node/load-late';

export type ReadYaml = (text: string) => unknown;

const loadParser = loadLate(async () => (await import('yaml')).default);

export async function loadYaml(): Promise<ReadYaml> {
  const yaml = await loadParser();
  return (text) => {
    const document = yaml.parseDocument(text, { schema: 'failsafe', logLevel: 'silent', prettyErrors: false });
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return document.toJS({ maxAliasCount: 10 });
  };
}
