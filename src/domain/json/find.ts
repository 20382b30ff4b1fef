import { ByteStore } from './byte-store.ts';
import { MAX_PATH_LENGTH, placeInList, type PathStep } from './path.ts';
import { decodeString, type JsonKind, JsonTokens, type JsonVisitor } from './tokens.ts';

/**
 * Finds values at paths in a JSON text that arrives in chunks (§2.4), with the results of `JSON.parse` and `locate`:
 * the last of equal keys counts, and an invalid text has no values.
 */

/** For one value, and for all of one text. */
export const MAX_VALUE_BYTES = 64 * 1024;
const MAX_KEPT_BYTES = 256 * 1024;
export const MAX_STREAMED_LEVELS = 1_000_000;
/** Longer keys match no path. A character can take six bytes (`\u0041`). */
const MAX_KEY_LENGTH = 6 * MAX_PATH_LENGTH + 2;

/** `text` has no white space between tokens. */
export type FoundValue =
  | { kind: 'missing' }
  | { kind: 'found'; text: string }
  | { kind: 'large'; is: JsonKind; start: string; members: number };

export type JsonFindings = { values: readonly FoundValue[] } | { fault: string };

const MISSING: FoundValue = { kind: 'missing' };
const NOTHING: Buffer = Buffer.alloc(0);

/** A key, an index, or either (`items.0`). */
interface Step {
  readonly key: string | null;
  readonly place: number | null;
}

interface Search {
  readonly steps: readonly Step[];
  /** How many steps match the open or next value. */
  matched: number;
  value: Capture | null;
}

interface Capture {
  readonly is: JsonKind;
  readonly kept: ByteStore;
  isCut: boolean;
  members: number;
}

export class JsonFinder implements JsonVisitor {
  readonly #tokens = new JsonTokens(this, {
    maxLevels: MAX_STREAMED_LEVELS,
    maxKeyLength: MAX_KEY_LENGTH,
    isBytes: true,
  });
  readonly #searches: Search[];
  #farthest = 0;
  /** By level: the index of the next item. */
  readonly #places: number[] = [];
  readonly #capturing: { capture: Capture; level: number }[] = [];
  #keptBytes = 0;
  #chunk = NOTHING;
  #keptTo = 0;

  constructor(paths: readonly (readonly PathStep[])[]) {
    this.#searches = paths.map((path) => ({ steps: path.map(readStep), matched: 0, value: null }));
  }

  /** No later byte can change the findings. */
  get isDone(): boolean {
    return this.#tokens.isBroken;
  }

  take(chunk: Buffer): void {
    this.#chunk = chunk;
    this.#keptTo = 0;
    this.#tokens.take(chunk.toString('latin1'));
    if (!this.#tokens.isBroken) this.#keep(chunk.length);
    this.#chunk = NOTHING;
  }

  finish(): JsonFindings {
    this.#keptTo = Infinity;
    if (this.#tokens.levels === MAX_STREAMED_LEVELS && this.#tokens.isBroken)
      return { fault: 'a body nested too deeply to read' };
    if (!this.#tokens.finish()) return { fault: 'a body that is not JSON' };
    return {
      values: this.#searches.map(({ value }) => (value === null ? MISSING : foundValueOf(value))),
    };
  }

  begin(kind: JsonKind, at: number): void {
    const level = this.#tokens.levels;
    for (const { capture, level: at } of this.#capturing) if (at === level - 1) capture.members++;
    if (level > 0 && !this.#tokens.isInObject) this.#enterItem(level);
    if (level > this.#farthest) return;
    this.#keep(at);
    for (const search of this.#searches) {
      if (search.matched !== level || search.steps.length !== level) continue;
      search.value = { is: kind, kept: new ByteStore(MAX_VALUE_BYTES), isCut: false, members: 0 };
      this.#capturing.push({ capture: search.value, level });
    }
    if (kind === 'array') this.#places[level + 1] = 0;
  }

  end(_: JsonKind, at: number): void {
    const level = this.#tokens.levels;
    if (level > this.#farthest) return;
    this.#keep(at);
    while (this.#capturing.at(-1)?.level === level) this.#capturing.pop();
    for (const search of this.#searches)
      if (search.matched === level && level > 0) search.matched = level - 1;
    if (this.#farthest === level) this.#farthest = Math.max(0, level - 1);
  }

  key(token: string | null, isEscaped: boolean): void {
    if (token === null || this.#tokens.levels - 1 > this.#farthest) return;
    let key: string | null = null;
    this.#match((step) => {
      // A character takes at most three bytes, or six as an escape.
      if (step.key === null || token.length - 2 > step.key.length * (isEscaped ? 6 : 3))
        return false;
      key ??= decodeString(Buffer.from(token, 'latin1').toString(), isEscaped);
      return step.key === key;
    });
  }

  space(start: number, end: number): void {
    this.#keep(start);
    this.#keptTo = end;
  }

  #enterItem(level: number): void {
    if (level - 1 > this.#farthest) return;
    const place = this.#places[level] ?? 0;
    this.#places[level] = place + 1;
    this.#match((step) => step.place === place);
  }

  #match(isStep: (step: Step) => boolean): void {
    const level = this.#tokens.levels;
    for (const search of this.#searches) {
      const step = search.steps[level - 1];
      if (search.matched !== level - 1 || step === undefined || !isStep(step)) continue;
      search.matched = level;
      this.#forget(search);
      this.#farthest = Math.max(this.#farthest, level);
    }
  }

  #forget(search: Search): void {
    if (search.value !== null) this.#keptBytes -= search.value.kept.length;
    search.value = null;
  }

  #keep(end: number): void {
    const start = this.#keptTo;
    this.#keptTo = end;
    if (start >= end) return;
    for (const { capture } of this.#capturing) {
      const before = capture.kept.length;
      const left = MAX_KEPT_BYTES - this.#keptBytes;
      capture.kept.append(this.#chunk.subarray(start, Math.min(end, start + left)));
      const taken = capture.kept.length - before;
      this.#keptBytes += taken;
      if (taken < end - start) capture.isCut = true;
    }
  }
}

function foundValueOf({ is, kept, isCut, members }: Capture): FoundValue {
  const text = kept.bytes().toString();
  return isCut ? { kind: 'large', is, start: text, members } : { kind: 'found', text };
}

function readStep(step: PathStep): Step {
  return { key: typeof step === 'string' ? step : null, place: placeInList(step) };
}
