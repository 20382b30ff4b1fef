import type { TooMany } from '../services.ts';

/** Says when to try again, in words. */
export function describeTooMany({ retryAfterSeconds, isBusy }: TooMany): string {
  const minutes = Math.ceil(retryAfterSeconds / 60);
  const wait =
    retryAfterSeconds < 90
      ? `${Math.max(1, Math.ceil(retryAfterSeconds))} seconds`
      : `${minutes} minutes`;
  return isBusy
    ? `Belfry has too much to do just now. Wait ${wait} and send this again.`
    : `There were too many attempts. Wait ${wait} and try again.`;
}
