/** Says when to try again, in words. */
export function describeTooMany({ retryAfterSeconds }: { retryAfterSeconds: number }): string {
  const minutes = Math.ceil(retryAfterSeconds / 60);
  const wait =
    retryAfterSeconds < 90
      ? `${Math.max(1, Math.ceil(retryAfterSeconds))} seconds`
      : `${minutes} minutes`;
  return `There were too many attempts. Wait ${wait} and try again.`;
}
