/** Whether a code fence that began before `index` is still open there. */
export function insideFence(text: string, index: number): boolean {
  let open = '';
  for (const [, fence = '', info = ''] of text.slice(0, index).matchAll(/^ {0,3}(`{3,}|~{3,})(.*)$/gm)) {
    if (open === '') open = fence;
    else if (fence.startsWith(open) && info.trim() === '') open = '';
  }
  return open !== '';
}
