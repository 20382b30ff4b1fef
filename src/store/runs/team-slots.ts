import type { Fields } from '../database/dialect.ts';

export const TEAM_SLOTS = { team_id: 'id', slots: 'int' } as const satisfies Fields;

export interface TeamSlots {
  team_id: string;
  slots: number;
}
