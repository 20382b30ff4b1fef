import * as accounts from './accounts.ts';
import * as alerts from './alerts.ts';
import * as figures from './figures.ts';
import type { NewRowOf, RowOf, Table } from './table.ts';
import * as work from './work.ts';

const DECLARED = { ...work, ...figures, ...accounts, ...alerts };
type Declared = (typeof DECLARED)[keyof typeof DECLARED];

export type Tables = { [T in Declared as T['name']]: T };

export type Row<Name extends keyof Tables> = RowOf<Tables[Name]>;
export type NewRow<Name extends keyof Tables> = NewRowOf<Tables[Name]>;

/** Tables that refer to others come last. */
export const TABLES: readonly Table[] = (Object.values(DECLARED) as unknown as Table[]).toSorted(
  (a, b) => Number(refersToOthers(a)) - Number(refersToOthers(b)),
);

function refersToOthers({ columns }: Table): boolean {
  return Object.values(columns).some(({ rules }) => rules.owner !== undefined);
}
