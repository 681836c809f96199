/**
 * Reads the YAML of a head as nothing but text: no tags, no types, no references beyond a few, and no code, whatever
 * stands in it. Loaded when the first skill is found.
 */
export type ReadYaml = (text: string) => unknown;

export async function loadYaml(): Promise<ReadYaml> {
  const { default: yaml } = await import('yaml');
  return (text) => {
    const document = yaml.parseDocument(text, { schema: 'failsafe', logLevel: 'silent', prettyErrors: false });
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return document.toJS({ maxAliasCount: 10 });
  };
}
