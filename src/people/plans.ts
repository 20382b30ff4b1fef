import type { Plan } from './config.ts';

/** A team's runs in this UTC month (§8.2). `limit` null: unlimited. */
export interface Usage {
  plan: string;
  limit: number | null;
  used: number;
}

/** The plans that the operator offers, by name. */
export class Plans {
  readonly #plans: readonly Plan[];

  constructor(plans: readonly Plan[]) {
    this.#plans = plans;
  }

  get names(): string[] {
    return this.#plans.map(({ name }) => name);
  }

  get first(): string {
    return this.#plans[0]?.name ?? 'free';
  }

  /** A plan's monthly limit of runs. A plan that the operator has removed counts as the first one. Null: no limit. */
  limitOf(plan: string): number | null {
    const found = this.#plans.find(({ name }) => name === plan) ?? this.#plans[0];
    return found?.monthlyLimit ?? null;
  }
}
