/**
 * Draws QR codes (ISO/IEC 18004) for texts as bytes, with the lowest error correction, which is enough on screens.
 * Only small versions are supported: the text is an address of a few hundred characters.
 */

const LARGEST_VERSION = 20;
/** For each version from 1 on: the codewords for correction in a block, and the number of blocks. */
const CORRECTION = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28];
const BLOCKS = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8];
const BYTE_MODE = 0b0100;
/** The two bits of this level in the format. */
const LEVEL_LOW = 0b01;
const PADDING = [0xec, 0x11];

interface Grid {
  version: number;
  size: number;
  /** The modules, row by row; true for dark. */
  dark: boolean[][];
  /** Modules that hold no data: patterns, timing, format and version. */
  fixed: boolean[][];
}

/** The rows of modules, true for dark; null if the text is too long. */
export function encodeQr(text: string): boolean[][] | null {
  const bytes = new TextEncoder().encode(text);
  const version = findVersion(bytes.length);
  if (version === null) return null;
  const codewords = addCorrection(writeData(bytes, version), version);
  const grid = drawFixed(version);
  drawCodewords(grid, codewords);
  let best: { dark: boolean[][]; penalty: number } | null = null;
  for (let mask = 0; mask < 8; mask++) {
    const dark = applyMask(grid, mask);
    drawFormat({ ...grid, dark }, mask);
    const penalty = penaltyOf(dark);
    if (best === null || penalty < best.penalty) best = { dark, penalty };
  }
  return best?.dark ?? null;
}

const lengthBits = (version: number) => (version < 10 ? 8 : 16);

function findVersion(bytes: number): number | null {
  for (let version = 1; version <= LARGEST_VERSION; version++) {
    const bits = 4 + lengthBits(version) + 8 * bytes;
    if (bits <= 8 * countDataWords(version)) return version;
  }
  return null;
}

function countRawModules(version: number): number {
  const raw = (16 * version + 128) * version + 64;
  if (version < 2) return raw;
  const patterns = Math.floor(version / 7) + 2;
  const ofAlignment = (25 * patterns - 10) * patterns - 55;
  return raw - ofAlignment - (version < 7 ? 0 : 36);
}

const correctionOf = (version: number) => CORRECTION[version - 1] ?? 0;
const blocksOf = (version: number) => BLOCKS[version - 1] ?? 1;
const countWords = (version: number) => Math.floor(countRawModules(version) / 8);
const countDataWords = (version: number) =>
  countWords(version) - correctionOf(version) * blocksOf(version);

function writeData(bytes: Uint8Array, version: number): number[] {
  const bits: number[] = [];
  const write = (value: number, count: number) => {
    for (let at = count - 1; at >= 0; at--) bits.push((value >>> at) & 1);
  };
  write(BYTE_MODE, 4);
  write(bytes.length, lengthBits(version));
  for (const byte of bytes) write(byte, 8);
  const room = 8 * countDataWords(version);
  write(0, Math.min(4, room - bits.length));
  write(0, (8 - (bits.length % 8)) % 8);
  const words: number[] = [];
  for (let at = 0; at < bits.length; at += 8)
    words.push(bits.slice(at, at + 8).reduce((word, bit) => word * 2 + bit, 0));
  for (let n = 0; words.length < room / 8; n++) words.push(PADDING[n % 2] ?? 0);
  return words;
}

/** Appends Reed–Solomon codewords to each block and interleaves all blocks. */
function addCorrection(data: readonly number[], version: number): number[] {
  const blocks = blocksOf(version);
  const correction = correctionOf(version);
  const words = countWords(version);
  const shortBlocks = blocks - (words % blocks);
  const shortData = Math.floor(words / blocks) - correction;
  const divisor = makeDivisor(correction);
  const parts: { data: readonly number[]; correction: number[] }[] = [];
  for (let n = 0, at = 0; n < blocks; n++) {
    const part = data.slice(at, at + shortData + (n < shortBlocks ? 0 : 1));
    at += part.length;
    parts.push({ data: part, correction: remainderOf(part, divisor) });
  }
  const woven: number[] = [];
  for (let at = 0; at <= shortData; at++)
    for (const part of parts) if (at < part.data.length) woven.push(part.data[at] ?? 0);
  for (let at = 0; at < correction; at++)
    for (const part of parts) woven.push(part.correction[at] ?? 0);
  return woven;
}

/** Multiplies in the field of 256 elements with the polynomial x⁸ + x⁴ + x³ + x² + 1. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let at = 7; at >= 0; at--) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((b >>> at) & 1) * a;
  }
  return product;
}

function makeDivisor(degree: number): number[] {
  const divisor = Array.from({ length: degree }, (_, n): number => (n === degree - 1 ? 1 : 0));
  for (let n = 0, root = 1; n < degree; n++) {
    for (let at = 0; at < degree; at++)
      divisor[at] = multiply(divisor[at] ?? 0, root) ^ (divisor[at + 1] ?? 0);
    root = multiply(root, 2);
  }
  return divisor;
}

function remainderOf(data: readonly number[], divisor: readonly number[]): number[] {
  const remainder = divisor.map(() => 0);
  for (const word of data) {
    const factor = word ^ (remainder.shift() ?? 0);
    remainder.push(0);
    divisor.forEach((of, at) => {
      remainder[at] = (remainder[at] ?? 0) ^ multiply(of, factor);
    });
  }
  return remainder;
}

function makeRows(size: number): boolean[][] {
  return Array.from({ length: size }, () => Array.from({ length: size }, () => false));
}

function set({ dark, fixed, size }: Grid, x: number, y: number, isDark: boolean): void {
  if (x < 0 || y < 0 || x >= size || y >= size) return;
  const [row, fixedRow] = [dark[y], fixed[y]];
  if (row) row[x] = isDark;
  if (fixedRow) fixedRow[x] = true;
}

function drawFixed(version: number): Grid {
  const size = 4 * version + 17;
  const grid = { version, size, dark: makeRows(size), fixed: makeRows(size) };
  for (let at = 0; at < size; at++) {
    set(grid, 6, at, at % 2 === 0);
    set(grid, at, 6, at % 2 === 0);
  }
  drawFinder(grid, 3, 3);
  drawFinder(grid, size - 4, 3);
  drawFinder(grid, 3, size - 4);
  const places = placesOfAlignment(grid);
  const last = places.length - 1;
  places.forEach((x, i) =>
    places.forEach((y, j) => {
      const isFinder = (i === 0 && (j === 0 || j === last)) || (i === last && j === 0);
      if (!isFinder) drawAlignment(grid, x, y);
    }),
  );
  drawFormat(grid, 0);
  drawVersion(grid);
  return grid;
}

function drawFinder(grid: Grid, centreX: number, centreY: number): void {
  for (let dy = -4; dy <= 4; dy++)
    for (let dx = -4; dx <= 4; dx++) {
      const ring = Math.max(Math.abs(dx), Math.abs(dy));
      set(grid, centreX + dx, centreY + dy, ring !== 2 && ring !== 4);
    }
}

function drawAlignment(grid: Grid, centreX: number, centreY: number): void {
  for (let dy = -2; dy <= 2; dy++)
    for (let dx = -2; dx <= 2; dx++)
      set(grid, centreX + dx, centreY + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
}

function placesOfAlignment({ version, size }: Grid): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.floor((8 * version + 3 * count + 5) / (4 * count - 4)) * 2;
  const places = Array.from({ length: count - 1 }, (_, n) => size - 7 - n * step);
  return [6, ...places.toReversed()];
}

/** Draws the level and the mask, with their own correction code, twice. */
function drawFormat(grid: Grid, mask: number): void {
  const data = (LEVEL_LOW << 3) | mask;
  let rest = data;
  for (let n = 0; n < 10; n++) rest = (rest << 1) ^ ((rest >>> 9) * 0x537);
  const bits = ((data << 10) | rest) ^ 0x5412;
  const bit = (at: number) => ((bits >>> at) & 1) === 1;
  const { size } = grid;
  for (let at = 0; at <= 5; at++) set(grid, 8, at, bit(at));
  set(grid, 8, 7, bit(6));
  set(grid, 8, 8, bit(7));
  set(grid, 7, 8, bit(8));
  for (let at = 9; at < 15; at++) set(grid, 14 - at, 8, bit(at));
  for (let at = 0; at < 8; at++) set(grid, size - 1 - at, 8, bit(at));
  for (let at = 8; at < 15; at++) set(grid, 8, size - 15 + at, bit(at));
  set(grid, 8, size - 8, true);
}

function drawVersion(grid: Grid): void {
  const { version, size } = grid;
  if (version < 7) return;
  let rest = version;
  for (let n = 0; n < 12; n++) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25);
  const bits = (version << 12) | rest;
  for (let at = 0; at < 18; at++) {
    const isDark = ((bits >>> at) & 1) === 1;
    const [far, near] = [size - 11 + (at % 3), Math.floor(at / 3)];
    set(grid, far, near, isDark);
    set(grid, near, far, isDark);
  }
}

/** Fills in the codewords in pairs of columns from the right, alternately upwards and downwards. */
function drawCodewords({ size, dark, fixed }: Grid, words: readonly number[]): void {
  let at = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step++) {
      const y = ((right + 1) & 2) === 0 ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        const row = dark[y];
        if (!row || fixed[y]?.[x] === true || at >= 8 * words.length) continue;
        row[x] = (((words[at >>> 3] ?? 0) >>> (7 - (at & 7))) & 1) === 1;
        at++;
      }
    }
  }
}

const MASKS: readonly ((x: number, y: number) => number)[] = [
  (x, y) => (x + y) % 2,
  (_x, y) => y % 2,
  (x) => x % 3,
  (x, y) => (x + y) % 3,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
  (x, y) => ((x * y) % 2) + ((x * y) % 3),
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2,
];

function applyMask({ dark, fixed }: Grid, mask: number): boolean[][] {
  const turns = MASKS[mask];
  return dark.map((row, y) =>
    row.map((isDark, x) => isDark !== (fixed[y]?.[x] !== true && turns?.(x, y) === 0)),
  );
}

/**
 * How hard a code is to read: counts long runs, blocks, patterns that look like a finder, and an imbalance of dark
 * and light.
 */
function penaltyOf(dark: readonly boolean[][]): number {
  const columns = dark.map((_, x) => dark.map((row) => row[x] === true));
  let penalty = 0;
  for (const line of [...dark, ...columns]) penalty += penaltyOfLine(line);
  for (let y = 1; y < dark.length; y++)
    for (let x = 1; x < dark.length; x++) {
      const here = dark[y]?.[x];
      const isBlock =
        here === dark[y]?.[x - 1] && here === dark[y - 1]?.[x] && here === dark[y - 1]?.[x - 1];
      if (isBlock) penalty += 3;
    }
  const all = dark.length * dark.length;
  const count = dark.flat().filter(Boolean).length;
  const steps = Math.ceil(Math.abs(count * 20 - all * 10) / all) - 1;
  return penalty + Math.max(0, steps) * 10;
}

const FINDER_LIKE = new Set(['10111010000', '00001011101']);

function penaltyOfLine(line: readonly boolean[]): number {
  const text = line.map((isDark) => (isDark ? '1' : '0')).join('');
  let penalty = 0;
  for (const [run] of text.matchAll(/0{5,}|1{5,}/g)) penalty += run.length - 2;
  for (let at = 0; at + 11 <= text.length; at++)
    if (FINDER_LIKE.has(text.slice(at, at + 11))) penalty += 40;
  return penalty;
}
