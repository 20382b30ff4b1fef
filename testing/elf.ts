import fs from 'node:fs';

const [PT_LOAD, PT_DYNAMIC] = [1, 2];
const [DT_NEEDED, DT_STRTAB] = [1n, 5n];

/** The shared libraries that a program asks the loader for, from the dynamic section of its 64-bit ELF file. */
export function readNeededLibraries(file: string): string[] {
  const fd = fs.openSync(file, 'r');
  try {
    const read = (offset: bigint, length: number) => {
      const bytes = Buffer.alloc(length);
      fs.readSync(fd, bytes, 0, length, Number(offset));
      return bytes;
    };
    const header = read(0n, 64);
    if (header.toString('latin1', 0, 6) !== '\x7fELF\x02\x01')
      throw new Error(`${file} is no 64-bit little-endian ELF file`);
    const segments = readSegments(header, read);
    const dynamic = segments.find(({ type }) => type === PT_DYNAMIC);
    if (dynamic === undefined) return [];
    const entries = readEntries(read(dynamic.offset, Number(dynamic.size)));
    const table = entries.find(({ tag }) => tag === DT_STRTAB)?.value ?? 0n;
    const names = segments.find(
      ({ type, address, size }) => type === PT_LOAD && address <= table && table < address + size,
    );
    if (names === undefined) throw new Error(`${file} has no table of names`);
    const start = names.offset + table - names.address;
    return entries
      .filter(({ tag }) => tag === DT_NEEDED)
      .map(
        ({ value }) =>
          read(start + value, 256)
            .toString('latin1')
            .split('\0', 1)[0] ?? '',
      );
  } finally {
    fs.closeSync(fd);
  }
}

function readSegments(header: Buffer, read: (offset: bigint, length: number) => Buffer) {
  const [offset, size, count] = [
    header.readBigUInt64LE(32),
    header.readUInt16LE(54),
    header.readUInt16LE(56),
  ];
  return Array.from({ length: count }, (_, n) => {
    const segment = read(offset + BigInt(n * size), size);
    return {
      type: segment.readUInt32LE(0),
      offset: segment.readBigUInt64LE(8),
      address: segment.readBigUInt64LE(16),
      size: segment.readBigUInt64LE(32),
    };
  });
}

const readEntries = (bytes: Buffer) =>
  Array.from({ length: bytes.length / 16 }, (_, n) => ({
    tag: bytes.readBigUInt64LE(n * 16),
    value: bytes.readBigUInt64LE(n * 16 + 8),
  }));
