/** §2.1, §2.2, §2.6, §2.10 and §8, in characters (code points) if not noted otherwise. */
export const LIMITS = {
  nameCharacters: 255,
  urlCharacters: 2048,
  cronExpressionCharacters: 255,
  queueCharacters: 255,
  personNameCharacters: 100,
  /** RFC 5321 §4.5.3.1: 256 octets without brackets. */
  emailCharacters: 254,
  /** Of a team (§5.11). */
  serviceAccounts: 50,
  passwordCharacters: { least: 8, most: 128 },
  /** A code of an authenticator, a recovery code or the setup code. */
  codeCharacters: 32,
  timeoutSeconds: { least: 1, most: 300, initial: 30 },
  alertThresholds: [1, 2, 3],
  /** How long dead letters are kept (§3.9). */
  deadLetterDays: { least: 1, most: 365, initial: 14 },
  /** More than any installation sends at once. */
  concurrency: { least: 1, most: 1_000_000 },
  delaySeconds: { least: 0, most: 86_400 },
  headerEntries: 100,
  /** Names and values together. */
  headerBytes: 16 * 1024,
  /** `{}` is one level. */
  payloadLevels: 512,
} as const;

export const rangeOf = ({ least, most }: { least: number; most: number }) => `${least} to ${most}`;
