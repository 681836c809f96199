/** The whole of a short answer as text; '' when it is longer than `mostBytes`. */
export async function readSome(body: AsyncIterable<Uint8Array> | null, mostBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > mostBytes) return '';
  }
  return Buffer.concat(chunks).toString('utf8');
}
