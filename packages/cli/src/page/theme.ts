/** The colours of the style sheet, as a canvas takes them: light or dark, or for paper. */

export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Hears of every change between light, dark and paper; `paper` says which it is now. */
export function onThemeChange(listener: (paper: boolean) => void): void {
  const print = matchMedia('print');
  const dark = matchMedia('(prefers-color-scheme: dark)');
  for (const query of [print, dark]) query.addEventListener('change', () => listener(print.matches));
}
