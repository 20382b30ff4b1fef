/** The texts for a user whom the provider's response does not admit, with the next step. */
import type { ProviderRefusal, ProxyRefusal } from '../services.ts';

/** @param name the display name of the provider */
export function explainProviderRefusal(why: ProviderRefusal, name: string): string {
  switch (why) {
    case 'away':
      return `${name} does not answer just now. Try again in a moment, or sign in another way. If it goes on, the operator finds the cause in the log.`;
    case 'not-believed':
      return `What ${name} answered could not be checked, so nobody was signed in. Begin again. If it goes on, the operator finds the cause in the log.`;
    case 'declined':
      return `${name} did not let you in. Begin again, or ask whoever runs it.`;
    case 'expired':
      return 'This sign-in was begun more than ten minutes ago, in another browser, or not here. Begin again.';
    case 'no-email':
      return `${name} names no email address of yours that it has verified, so no account can be found. Have it verified there, then begin again.`;
    case 'unconfirmed':
      return 'There is an account with your email, and nobody has confirmed yet that the address is theirs. Sign in to it with its password, confirm the email under Settings, Profile, then begin again.';
    case 'other-person':
      return `The account with your email belongs to somebody else at ${name}. Ask the operator.`;
    case 'no-account':
      return 'You have no account here yet, and new ones are made by invitation. Ask an admin of your team for one, and open its link before you sign in.';
  }
}

/** The same for a proxy in front that names users. */
export function explainProxyRefusal(why: ProxyRefusal): string {
  switch (why) {
    case 'not-believed':
    case 'no-email':
      return 'What the proxy in front of Belfry says about who you are contradicts itself, or is no email address. Nobody is let in by that. Tell the operator.';
    case 'too-many':
      return 'Too many accounts were made from your address just now. Wait a minute, then load the page again.';
    case 'unconfirmed':
      return 'There is an account with your email, and nobody has confirmed yet that the address is theirs. Confirm it under Settings, Profile, after a sign-in with its password, or ask the operator.';
    case 'other-person':
      return 'The account with your email came here under another one before. Ask the operator.';
    case 'no-account':
      return 'You have no account here yet, and new ones are made by invitation. Ask an admin of your team for one, and open its link.';
  }
}
