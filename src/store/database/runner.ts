import type { Dialect } from './dialect.ts';
import type { PreparedStatement } from './prepared.ts';
import type { Sql } from './sql.ts';
import { storableParameters } from './storable-text.ts';

export interface Answer {
  rows: unknown[];
  /** Rows that were inserted, updated or deleted; not counted on SQLite if it returns rows. */
  changes: number;
}

export type Run = (text: string, parameters: readonly unknown[]) => Promise<Answer>;

/** Parameters may hold payloads: never log them. */
export interface RanStatement {
  sql: string;
  parameters: readonly unknown[];
  durationMs: number;
}

export type OnStatement = (statement: RanStatement) => void;

/** Runs statements of one transaction, script or read, or each by itself. */
export class Runner {
  readonly dialect: Dialect;
  readonly #run: Run;
  readonly #onStatement: OnStatement | undefined;

  constructor(dialect: Dialect, run: Run, onStatement?: OnStatement) {
    this.dialect = dialect;
    this.#run = run;
    this.#onStatement = onStatement;
  }

  async run(text: string, parameters: readonly unknown[] = []): Promise<Answer> {
    const values = storableParameters(parameters);
    if (this.#onStatement === undefined) return this.#run(text, values);
    const startedAt = performance.now();
    try {
      return await this.#run(text, values);
    } finally {
      const durationMs = performance.now() - startedAt;
      this.#onStatement({ sql: text, parameters: values, durationMs });
    }
  }

  async rows<Row>(
    statement: PreparedStatement<Row>,
    parameters: readonly unknown[],
  ): Promise<Row[]> {
    return (await this.run(statement[this.dialect.name], parameters)).rows as Row[];
  }

  async ask<Row>(query: Sql<Row>): Promise<Row[]> {
    return (await this.run(query.textFor(this.dialect), query.values)).rows as Row[];
  }

  /** @returns the number of changed rows */
  async change(query: Sql): Promise<number> {
    return (await this.run(query.textFor(this.dialect), query.values)).changes;
  }
}

/** Writing through it is a defect. */
export type Reader = Omit<Runner, 'change'>;
