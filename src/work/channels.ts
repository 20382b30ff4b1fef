import type { ChannelConfig } from '#domain/notification-channel';
import type { Store } from '#store/store';

export type { ChannelConfig };

/** A team's notification channel for its settings page. Its address is a secret: whoever knows it can post. */
export interface ChannelView {
  kind: ChannelConfig['kind'];
  /** The address as it may be shown (`https://hooks.example/…3f9a`); null for email. */
  maskedUrl: string | null;
  lastSentAt: number | null;
  /** The last error, also where it has worked since (then `lastSentAt` is later). */
  lastError: string | null;
  lastErrorAt: number | null;
}

/** What an admin may do with the notification channel (§5.8, §6.5). Test sending is the notifier's. */
export interface ChannelWork {
  readChannel(teamId: string): Promise<ChannelView>;
  /** With the address: for an admin who asks for it, for editing, and for a test. */
  readChannelConfig(teamId: string): Promise<ChannelConfig>;
  /** Replaces the channel and forgets its errors; what is still to be sent goes to the new one. */
  setChannel(teamId: string, config: ChannelConfig): Promise<void>;
}

export function createChannelWork({ channels }: Store): ChannelWork {
  return {
    readChannel: async (teamId) => {
      const { config, isAddressLost: _, ...fared } = await channels.read(teamId);
      const maskedUrl = config.kind === 'email' ? null : maskUrl(config.url);
      return { kind: config.kind, maskedUrl, ...fared };
    },
    readChannelConfig: async (teamId) => (await channels.read(teamId)).config,
    setChannel: (teamId, config) => channels.save(teamId, config),
  };
}

const SHOWN_CHARACTERS = 4;
/** Of a short address the end would be most of the secret. */
const LEAST_HIDDEN = 16;

/** Where it leads, and just enough to tell two of them apart. */
export function maskUrl(url: string): string {
  const { origin } = new URL(url);
  const rest = url.slice(origin.length);
  return `${origin}/…${rest.length > LEAST_HIDDEN ? rest.slice(-SHOWN_CHARACTERS) : ''}`;
}
