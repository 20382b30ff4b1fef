/** The limits of §2.1, §2.2 and §8 (and §2.10, §2.6) on input, and those of accounts. */
export const LIMITS = {
  /** Characters (code points) in a cron's name. */
  nameCharacters: 255,
  /** Characters (code points) in a target or callback URL. */
  urlCharacters: 2048,
  /** Characters (code points) in a cron expression. */
  cronExpressionCharacters: 255,
  /** Characters (code points) in a queue's name. */
  queueCharacters: 255,
  /** Characters (code points) in the name of a person, a team or a passkey. */
  personNameCharacters: 100,
  /** RFC 5321 §4.5.3.1: a path of 256 octets, less its brackets. */
  emailCharacters: 254,
  /** Characters (code points) in a password. */
  passwordCharacters: { least: 8, most: 128 },
  /** Characters in a code that people type: of an authenticator, a recovery code, the setup code. */
  codeCharacters: 32,
  timeoutSeconds: { least: 1, most: 300, initial: 30 },
  alertThresholds: [1, 2, 3],
  /** How long a queue keeps its dead letters (§3.9). */
  deadLetterDays: { least: 1, most: 365, initial: 14 },
  /** The maximum is more than any installation sends at once: a higher limit would not limit anything. */
  concurrency: { least: 1, most: 1_000_000 },
  delaySeconds: { least: 0, most: 86_400 },
  headerEntries: 100,
  /** Bytes of all header names and values together. */
  headerBytes: 16 * 1024,
  /** How many levels of objects and lists a job's payload may have; `{}` alone is one level. */
  payloadLevels: 512,
} as const;

/** A range in words: `1 to 300`. */
export const rangeOf = ({ least, most }: { least: number; most: number }) => `${least} to ${most}`;
