/** Guesses from its first bytes what a binary file is. A name for people and models, nothing is decided by it. */
const beginnings: readonly (readonly [string, string])[] = [
  ['\x89PNG\r\n', 'a PNG image'],
  ['\xff\xd8\xff', 'a JPEG image'],
  ['GIF8', 'a GIF image'],
  ['BM', 'a BMP image'],
  ['\0\0\x01\0', 'an icon'],
  ['II*\0', 'a TIFF image'],
  ['MM\0*', 'a TIFF image'],
  ['%PDF-', 'a PDF document'],
  ['PK\x03\x04', 'a ZIP archive (or an office document)'],
  ['\x1f\x8b', 'gzip data'],
  ['BZh', 'bzip2 data'],
  ['\xfd7zXZ\0', 'xz data'],
  ['\x28\xb5\x2f\xfd', 'zstd data'],
  ['7z\xbc\xaf', 'a 7z archive'],
  ['\x7fELF', 'an ELF program or library'],
  ['MZ', 'a Windows program'],
  ['\xcf\xfa\xed\xfe', 'a Mach-O program'],
  ['\xca\xfe\xba\xbe', 'a Java class or Mach-O program'],
  ['\0asm', 'a WebAssembly module'],
  ['SQLite format 3\0', 'an SQLite database'],
  ['OggS', 'Ogg audio'],
  ['ID3', 'MP3 audio'],
  ['fLaC', 'FLAC audio'],
  ['wOFF', 'a web font'],
  ['wOF2', 'a web font'],
];

export function guessType(bytes: Buffer): string {
  const begin = bytes.subarray(0, 32).toString('latin1');
  if (begin.startsWith('RIFF')) return `RIFF data (${begin.slice(8, 12).trim()})`;
  if (begin.slice(4, 8) === 'ftyp') return 'an MP4 or HEIF file';
  return beginnings.find(([magic]) => begin.startsWith(magic))?.[1] ?? 'binary data';
}
