/** Where a team hears of alerts (§6.4, §6.5). What each one's posts look like is in alerts/channels. */

/** Each chat's name, and where in it people find the address of an incoming webhook. */
export const CHAT_CHANNELS = {
  slack: {
    label: 'Slack',
    webhookIsIn: 'An app of the workspace, “Incoming Webhooks”, “Add New Webhook to Workspace”.',
  },
  discord: {
    label: 'Discord',
    webhookIsIn: 'The channel’s settings, “Integrations”, “Webhooks”, “Copy Webhook URL”.',
  },
  teams: {
    label: 'Microsoft Teams',
    webhookIsIn:
      'The channel’s “Workflows”, the template that posts when a webhook request is received.',
  },
  'google-chat': {
    label: 'Google Chat',
    webhookIsIn: 'The space’s “Apps & integrations”, “Webhooks”.',
  },
} as const;

export type ChatChannelKind = keyof typeof CHAT_CHANNELS;

/** `url` is the incoming webhook that the team made in its chat: who knows it can post, so it is a secret. */
export type ChannelConfig = { kind: 'email' } | { kind: ChatChannelKind; url: string };

/** A team that has chosen none hears by email. */
export const DEFAULT_CHANNEL: ChannelConfig = { kind: 'email' };

export function isChatChannelKind(text: string): text is ChatChannelKind {
  return Object.hasOwn(CHAT_CHANNELS, text);
}
