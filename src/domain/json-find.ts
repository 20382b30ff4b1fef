import { ByteStore } from './byte-store.ts';
import { placeInList, type PathStep } from './json-path.ts';
import {
  JsonStream,
  MAX_STREAMED_LEVELS,
  type JsonStreamVisitor,
  type StreamedKind,
} from './json-stream.ts';

/**
 * Looks for places in a JSON text while it passes by (§2.7, §2.4), as `JSON.parse` and `locate` would find them:
 * of equal keys the last wins, and a text that is not JSON anywhere has nothing in it.
 */

/** How much is kept of one value, and of all values of one text together, in bytes. */
export const MAX_VALUE_BYTES = 64 * 1024;
const MAX_KEPT_BYTES = 256 * 1024;

/** What a path led to. `text` is JSON without white space between its tokens. */
export type FoundValue =
  | { kind: 'missing' }
  | { kind: 'found'; text: string }
  /** Too large to be kept: the beginning of it, and how many members it has. */
  | { kind: 'large'; is: StreamedKind; start: string; members: number };

export type JsonFindings = { values: readonly FoundValue[] } | { fault: string };

const MISSING: FoundValue = { kind: 'missing' };
const NOTHING: Buffer = Buffer.alloc(0);

/** What a step matches: a key, a place in a list, or either (`items.0`). */
interface Step {
  readonly key: string | null;
  readonly place: number | null;
}

/** One path on its way through the text. */
interface Search {
  readonly steps: readonly Step[];
  /** How many of the steps lead to what is open now, or to the value that comes next. */
  matched: number;
  /** The last value that the path led to. */
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
  /** How many steps the search that has come farthest has matched. */
  #farthest = 0;
  /** For each list that a search is in: which item comes next. By level. */
  readonly #places: number[] = [];
  readonly #capturing: { capture: Capture; level: number }[] = [];
  #keptBytes = 0;
  #chunk = NOTHING;
  /** What of the chunk is not kept yet begins here. */
  #keptTo = 0;

  constructor(paths: readonly (readonly PathStep[])[]) {
    this.#searches = paths.map((path) => ({ steps: path.map(readStep), matched: 0, value: null }));
  }

  /** Nothing that follows can change the findings. */
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

  // What the stream tells.

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
    // What was matched by this value is behind us; the root has no step of its own.
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
      // A character takes three bytes at most, six as an escape.
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

  /** Moves every search on whose next step leads to the member that comes next. */
  #match(isStep: (step: Step) => boolean): void {
    const level = this.#stream.levels;
    for (const search of this.#searches) {
      const step = search.steps[level - 1];
      if (search.matched !== level - 1 || step === undefined || !isStep(step)) continue;
      search.matched = level;
      // Of equal keys the last wins, with all that is in it.
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
