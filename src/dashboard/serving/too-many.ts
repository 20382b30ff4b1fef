import { countOf } from '#domain/amounts';
import type { TooMany } from '../services.ts';

/** Says when to try again, in words. */
export function describeTooMany({ retryAfterSeconds, isBusy }: TooMany): string {
  const minutes = Math.ceil(retryAfterSeconds / 60);
  const wait =
    retryAfterSeconds < 90
      ? countOf(Math.max(1, Math.ceil(retryAfterSeconds)), 'second')
      : countOf(minutes, 'minute');
  return isBusy
    ? `Belfry has too much to do just now. Wait ${wait} and send this again.`
    : `There were too many attempts. Wait ${wait} and try again.`;
}
