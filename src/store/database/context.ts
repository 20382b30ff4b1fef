import type { Clock } from '#domain/base/clock';
import type { TeamBounds } from '#domain/team/team-bounds';
import type { Databases } from './databases.ts';
import type { OnBatch } from './group-commit.ts';
import type { Sealer } from './seal.ts';
import type { SignalBus } from './signals.ts';

export interface Context extends Pick<Databases, 'main' | 'searches' | 'lease'> {
  sealer: Sealer;
  clock: Clock;
  signals: SignalBus;
  bounds: TeamBounds;
  onBatch: OnBatch;
}

type Functions<First> = Record<string, (first: First, ...rest: never[]) => unknown>;

type Bound<F> = {
  [Name in keyof F]: F[Name] extends (first: never, ...rest: infer Rest) => infer Result
    ? (...rest: Rest) => Result
    : never;
};

export function bind<First, F extends Functions<First>>(first: First, functions: F): Bound<F> {
  const bound = Object.entries(functions).map(([name, run]) => [
    name,
    (...rest: never[]) => run(first, ...rest),
  ]);
  return Object.fromEntries(bound) as Bound<F>;
}

export function bindAll<First, Groups extends Record<string, Functions<First>>>(
  first: First,
  groups: Groups,
): { [Name in keyof Groups]: Bound<Groups[Name]> } {
  const bound = Object.entries(groups).map(([name, group]) => [name, bind(first, group)]);
  return Object.fromEntries(bound) as { [Name in keyof Groups]: Bound<Groups[Name]> };
}
