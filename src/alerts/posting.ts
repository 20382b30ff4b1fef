import type { Sender } from '#domain/exchange';
import type { Store } from '#store/store';
import type { Posting } from './deliver.ts';

export function postingFor({ teams, clock }: Store, sender: Sender, teamId: string): Posting {
  return {
    sender,
    readSecret: async () => (await teams.readSigningSecret(teamId))?.secret ?? null,
    now: () => clock.now(),
  };
}
