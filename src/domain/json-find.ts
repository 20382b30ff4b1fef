import { ByteStore } from './byte-store.ts';
import { placeInList, type PathStep } from './json-path.ts';
import {
  JsonStream,
  MAX_STREAMED_LEVELS,
  type JsonStreamVisitor,
  type StreamedKind,
} from './json-stream.ts';

/**
 * Finds the values at given paths in a JSON text that arrives in chunks (§2.7, §2.4). The result is the same as with
 * `JSON.parse` and `locate`: of equal keys the last one counts, and a text that is not valid JSON throughout has no
 * values.
 */

/** How many bytes are kept of one value, and of all values of one text together. */
export const MAX_VALUE_BYTES = 64 * 1024;
const MAX_KEPT_BYTES = 256 * 1024;

/** The value at a path. `text` is JSON without white space between its tokens. */
export type FoundValue =
  | { kind: 'missing' }
  | { kind: 'found'; text: string }
  /** A value too large to be kept: its beginning, and how many members it has. */
  | { kind: 'large'; is: StreamedKind; start: string; members: number };

export type JsonFindings = { values: readonly FoundValue[] } | { fault: string };

const MISSING: FoundValue = { kind: 'missing' };
const NOTHING: Buffer = Buffer.alloc(0);

/** What a step matches: a key, an index in a list, or either (`items.0`). */
interface Step {
  readonly key: string | null;
  readonly place: number | null;
}

/** The state of the search for one path. */
interface Search {
  readonly steps: readonly Step[];
  /** How many of the steps match the value that is open now, or that comes next. */
  matched: number;
  /** The last value found at the path. */
  value: Capture | null;
}

interface Capture {
  readonly is: StreamedKind;
  readonly kept: ByteStore;
  isCut: boolean;
  members: number;
}

export class JsonFinder implements JsonStreamVisitor {
  readonly #stream = new JsonStream(this);
  readonly #searches: Search[];
  /** The largest `matched` of all searches. */
  #farthest = 0;
  /** By level: the index of the next item in each list that a search has entered. */
  readonly #places: number[] = [];
  readonly #capturing: { capture: Capture; level: number }[] = [];
  #keptBytes = 0;
  #chunk = NOTHING;
  /** The bytes of the chunk from here on are not kept yet. */
  #keptTo = 0;

  constructor(paths: readonly (readonly PathStep[])[]) {
    this.#searches = paths.map((path) => ({ steps: path.map(readStep), matched: 0, value: null }));
  }

  /** True if no later byte can change the findings. */
  get isDone(): boolean {
    return this.#stream.isBroken;
  }

  take(chunk: Buffer): void {
    this.#chunk = chunk;
    this.#keptTo = 0;
    this.#stream.take(chunk);
    if (!this.#stream.isBroken) this.#keep(chunk.length);
    this.#chunk = NOTHING;
  }

  finish(): JsonFindings {
    this.#keptTo = 0;
    if (this.#stream.levels === MAX_STREAMED_LEVELS && this.#stream.isBroken)
      return { fault: 'a body nested too deeply to read' };
    if (!this.#stream.finish()) return { fault: 'a body that is not JSON' };
    return { values: this.#searches.map(({ value }) => (value === null ? MISSING : tell(value))) };
  }

  // Methods of `JsonStreamVisitor`.

  begin(kind: StreamedKind, at: number): void {
    const level = this.#stream.levels;
    for (const { capture, level: at } of this.#capturing) if (at === level - 1) capture.members++;
    if (level > 0 && !this.#stream.isInObject) this.#enterItem(level);
    if (level > this.#farthest) return;
    this.#keep(at);
    for (const search of this.#searches) {
      if (search.matched !== level || search.steps.length !== level) continue;
      search.value = { is: kind, kept: new ByteStore(MAX_VALUE_BYTES), isCut: false, members: 0 };
      this.#capturing.push({ capture: search.value, level });
    }
    if (kind === 'array') this.#places[level + 1] = 0;
  }

  end(at: number): void {
    const level = this.#stream.levels;
    if (level > this.#farthest) return;
    this.#keep(at);
    while (this.#capturing.at(-1)?.level === level) this.#capturing.pop();
    // The value has ended, so its step no longer matches. The root has no step.
    for (const search of this.#searches)
      if (search.matched === level && level > 0) search.matched = level - 1;
    if (this.#farthest === level) this.#farthest = Math.max(0, level - 1);
  }

  wantsKey(): boolean {
    return this.#stream.levels - 1 <= this.#farthest;
  }

  key(bytes: Buffer | null, isEscaped: boolean): void {
    if (bytes === null) return;
    let key: string | null = null;
    this.#match((step) => {
      // A character takes three bytes at most, or six as an escape.
      if (step.key === null || bytes.length > step.key.length * (isEscaped ? 6 : 3)) return false;
      key ??= isEscaped ? (JSON.parse(`"${bytes.toString()}"`) as string) : bytes.toString();
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

  /** Advances every search whose next step matches the member that comes next. */
  #match(isStep: (step: Step) => boolean): void {
    const level = this.#stream.levels;
    for (const search of this.#searches) {
      const step = search.steps[level - 1];
      if (search.matched !== level - 1 || step === undefined || !isStep(step)) continue;
      search.matched = level;
      // Of equal keys the last one counts, so what an earlier one held is dropped.
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
      const room = MAX_KEPT_BYTES - this.#keptBytes;
      capture.kept.append(this.#chunk.subarray(start, Math.min(end, start + room)));
      const taken = capture.kept.length - before;
      this.#keptBytes += taken;
      if (taken < end - start) capture.isCut = true;
    }
  }
}

function tell({ is, kept, isCut, members }: Capture): FoundValue {
  const text = kept.bytes().toString();
  return isCut ? { kind: 'large', is, start: text, members } : { kind: 'found', text };
}

function readStep(step: PathStep): Step {
  return { key: typeof step === 'string' ? step : null, place: placeInList(step) };
}
