import type { ProviderRefusal, ProxyRefusal } from '../services.ts';

/** @param name the provider's name */
export function explainProviderRefusal(why: ProviderRefusal, name: string): string {
  switch (why) {
    case 'away':
      return `${name} does not answer just now. Try again in a moment, or sign in another way. If it goes on, the operator finds the cause in the log.`;
    case 'untrusted':
      return `The response of ${name} could not be verified, so you were not signed in. Try again. If it happens again, the operator finds the cause in the log.`;
    case 'declined':
      return `${name} did not let you in. Begin again, or ask whoever runs it.`;
    case 'expired':
      return 'This sign-in was begun more than ten minutes ago, in another browser, or not here. Begin again.';
    case 'no-email':
      return `${name} names no email address of yours that it has verified, so no account can be found. Have it verified there, then begin again.`;
    case 'unconfirmed':
      return 'There is an account with your email, but the address is not confirmed yet. Sign in with its password, confirm the email under Settings, Profile, then try again.';
    case 'other-person':
      return `The account with your email belongs to another person at ${name}. Contact the operator.`;
    case 'no-account':
      return 'You have no account here yet, and new ones need an invitation. Get one from an admin of your team, and open its link before you sign in.';
  }
}

export function explainProxyRefusal(why: ProxyRefusal): string {
  switch (why) {
    case 'untrusted':
    case 'no-email':
      return 'The proxy in front of Belfry sent contradictory or invalid headers about you, so you were not signed in. Contact the operator.';
    case 'too-many':
      return 'Too many accounts were made from your address just now. Wait a minute, then load the page again.';
    case 'unconfirmed':
      return 'There is an account with your email, but the address is not confirmed yet. Sign in with its password and confirm it under Settings, Profile, or contact the operator.';
    case 'other-person':
      return 'The account with your email has signed in with another email before. Contact the operator.';
    case 'no-account':
      return 'You have no account here yet, and new ones need an invitation. Get one from an admin of your team, and open its link.';
  }
}
