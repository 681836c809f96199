/** What every wire does to names before they go out: providers refuse a whole history for one odd character in a name. */

/** A tool's name as providers take it: letters, digits, _ and -, at most 64. Names that a model made up stay recognisable. */
export function toolNameOnWire(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unnamed';
}
