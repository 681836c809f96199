/** Amounts are integers in cents. */

export function formatCents(cents) {
  const sign = cents < 0 ? '-' : '';
  const units = Math.floor(Math.abs(cents) / 100);
  const rest = String(Math.abs(cents) % 100).padStart(2, '0');
  return `${sign}${units}.${rest}`;
}

/** Half a cent goes up. */
export function percentOf(cents, percent) {
  return Math.round((cents * percent) / 100);
}
