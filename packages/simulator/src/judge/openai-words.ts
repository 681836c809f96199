/** Complaints that OpenAI has in common for many parameters. */
import { invalid, type Verdict } from './verdict.ts';

export function missing(param: string): Verdict {
  return invalid(`Missing required parameter: '${param}'.`, { code: 'missing_required_parameter', param });
}

export function unknownParameter(param: string): Verdict {
  return invalid(`Unknown parameter: '${param}'.`, { code: 'unknown_parameter', param });
}

export function unsupported(value: string, supported: readonly string[], param: string): Verdict {
  const names = supported.map((name) => `'${name}'`);
  const listed = names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return invalid(`Invalid value: '${value}'. Supported values are: ${listed}.`, { code: 'invalid_value', param });
}
