/** The protocol versions this build can speak. Raised when a change would mislead an older peer. */
export const protocolRange = { min: 1, max: 1 } as const;

/** The version of zerd. */
export const zerdVersion = '0.1.0';
