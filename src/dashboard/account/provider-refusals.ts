import type { ProviderRefusal, ProxyRefusal } from '../services.ts';

/** @param name the provider's name */
export function explainProviderRefusal(why: ProviderRefusal, name: string): string {
  const words: Record<ProviderRefusal, string> = {
    away: `${name} does not answer just now. Try again in a moment, or sign in another way. If it goes on, the operator finds the cause in the log.`,
    untrusted: `The response of ${name} could not be verified, so you were not signed in. Try again. If it happens again, the operator finds the cause in the log.`,
    declined: `${name} did not let you in. Begin again, or ask whoever runs it.`,
    expired:
      'This sign-in was begun more than ten minutes ago, in another browser, or not here. Begin again.',
    outdated: `This response of ${name} doesn't belong to the last sign-in that this browser began. Continue in the tab where you began last, or begin again.`,
    'no-email': `${name} names no email address of yours that it has verified, so no account can be found. Have it verified there, then begin again.`,
    unconfirmed:
      'There is an account with your email, but the address is not confirmed yet. Sign in with its password, confirm the email under Settings, Profile, then try again.',
    'other-person': `The account with your email belongs to another person at ${name}. Contact the operator.`,
    'no-account':
      'You have no account here yet, and new ones need an invitation. Get one from an admin of your team, and open its link before you sign in.',
  };
  return words[why];
}

const wrongHeaders =
  'The proxy in front of Belfry sent contradictory or invalid headers about you, so you were not signed in. Contact the operator.';

export const proxyRefusals: Readonly<Record<ProxyRefusal, string>> = {
  untrusted: wrongHeaders,
  'no-email': wrongHeaders,
  'too-many':
    'Too many accounts were made from your address just now. Wait a minute, then load the page again.',
  unconfirmed:
    'There is an account with your email, but the address is not confirmed yet. Sign in with its password and confirm it under Settings, Profile, or contact the operator.',
  'other-person':
    'The account with your email has signed in with another email before. Contact the operator.',
  'no-account':
    'You have no account here yet, and new ones need an invitation. Get one from an admin of your team, and open its link.',
};
