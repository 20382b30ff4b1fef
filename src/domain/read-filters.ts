/** Filters of lists as they stand in an address (§8): what can't be read is told, and the list then holds nothing. */

/** What is wrong with a filter, in a sentence, by the name of its parameter. */
export type FilterFaults = Readonly<Record<string, string>>;

/** What an address asks for, or why that can't be told. There is no search in the second, so nothing acts on it. */
export type ReadFilters<Search> =
  | { search: Search; faults: null }
  | { search: null; faults: FilterFaults };

/** As much as the database compares; the fields take no more. */
export const mostFilterCharacters = 2048;

/** Reads the parameters of one address and remembers what was wrong with them. */
export class FilterReader {
  readonly #params: URLSearchParams;
  readonly #faults: Record<string, string> = {};

  constructor(params: URLSearchParams) {
    this.#params = params;
  }

  /** Empty where it is not given. */
  text(name: string): string {
    const [text = '', ...others] = this.#params.getAll(name).filter((each) => each !== '');
    if (others.length > 0) return this.#refuse(name, 'This filter is given twice. Keep one.', '');
    return Array.from(text).length > mostFilterCharacters
      ? this.#refuse(name, 'A filter can hold at most 2,048 characters.', '')
      : text;
  }

  /** One of a few words. */
  choice<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    return this.read(
      name,
      (text) => words.find((word) => word === text) ?? null,
      `This is none of: ${words.join(', ')}.`,
    );
  }

  /** What a ticked box says. */
  isTicked(name: string): boolean {
    const read = (text: string) => (text === '1' ? true : null);
    return this.read(name, read, 'Write 1, or leave it out.') ?? false;
  }

  /** @param read  null for what it can't read; the sentence then says what it could */
  read<Value>(
    name: string,
    read: (text: string) => Value | null,
    sentence: string,
  ): Value | undefined {
    const text = this.text(name);
    if (text === '') return undefined;
    return read(text) ?? this.#refuse(name, sentence, undefined);
  }

  /** For what only the caller can tell, such as two filters that exclude each other. */
  refuse(name: string, sentence: string): void {
    this.#faults[name] = sentence;
  }

  /** The search, unless something in the address could not be read. */
  finish<Search>(search: Search): ReadFilters<Search> {
    return Object.keys(this.#faults).length === 0
      ? { search, faults: null }
      : { search: null, faults: this.#faults };
  }

  #refuse<Value>(name: string, sentence: string, value: Value): Value {
    this.#faults[name] = sentence;
    return value;
  }
}
