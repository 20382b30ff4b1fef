import { breakLinks } from '#domain/plain-names';
import type { Mail } from './mail.ts';

/**
 * Plain text. No subject contains a name, and no name becomes a link, so attackers can't make us mail their message.
 */

const SIGNED = '\n\nBelfry\n';

export function writeResetMail(to: string, link: string): Mail {
  return {
    to,
    link,
    subject: 'Set a new password for Belfry',
    text: `Somebody asked to set a new password for your Belfry account. To do so, open this link within an hour:

${link}

If it was not you, ignore this mail: your password stays as it is.${SIGNED}`,
  };
}

export function writeEmailChangeMail(to: string, link: string): Mail {
  return {
    to,
    link,
    subject: 'Confirm your new email address for Belfry',
    text: `To use this address for your Belfry account, open this link within an hour:

${link}

If you did not ask for it, ignore this mail.${SIGNED}`,
  };
}

export function writeEmailMail(to: string, link: string): Mail {
  return {
    to,
    link,
    subject: 'Confirm your email address for Belfry',
    text: `There is a Belfry account with this address. If it is yours, open this link within an hour, so that alerts and invitations can be mailed:

${link}

If it is not yours, ignore this mail: nothing else will come.${SIGNED}`,
  };
}

export function writeSignUpMail(to: string, link: string): Mail {
  return {
    to,
    link,
    subject: 'Your link to create a Belfry account',
    text: `To create a Belfry account with this address, open this link within an hour:

${link}

If you did not ask for it, ignore this mail: there is no account, and nothing else will come.${SIGNED}`,
  };
}

/** To an existing account, which the sign-up page must not reveal. */
export function writeHasAccountMail(to: string, link: string): Mail {
  return {
    to,
    link,
    subject: 'You have a Belfry account already',
    text: `Somebody asked to create a Belfry account with this address, which has one already. Sign in here:

${link}

If it was not you, ignore this mail.${SIGNED}`,
  };
}

/** To the old address, before the change. */
export function writeEmailChangeAskedMail(to: string, newEmail: string, stopLink: string): Mail {
  return {
    to,
    link: stopLink,
    subject: 'A change of the email of your Belfry account was requested',
    text: `Somebody who is signed in to your Belfry account, and knows its password, asked to change its email to ${newEmail}. If it was you, there is nothing to do here: confirm the change by the link that the new address got.

If it was not you, open this link within an hour. It stops the change:

${stopLink}

Then set a new password: it ends all sessions.${SIGNED}`,
  };
}

/** To the old address, after the change. A thief with a session can't stop it. */
export function writeEmailChangedMail(to: string, newEmail: string): Mail {
  return {
    to,
    link: null,
    subject: 'Your Belfry account has a new email address',
    text: `Your Belfry account now uses ${newEmail}. If you did not change it, contact the operator of this Belfry at once.${SIGNED}`,
  };
}

interface InvitationFacts {
  teamName: string;
  invitedByName: string;
  link: string;
}

export function writeInvitationMail(to: string, facts: InvitationFacts): Mail {
  const { teamName, invitedByName, link } = facts;
  return {
    to,
    link,
    subject: 'You are invited to a team on Belfry',
    text: `${breakLinks(invitedByName)} invites you to the team “${breakLinks(teamName)}” on Belfry. To join it, open this link within a week:

${link}

The link works once.${SIGNED}`,
  };
}

/** To a person who may not use Belfry. */
export function writeAddressMail(to: string, { teamName, link }: AddressFacts): Mail {
  return {
    to,
    link,
    subject: 'Confirm that you want alerts from Belfry',
    text: `The team “${breakLinks(teamName)}” wants to send alerts about its scheduled requests to this address. If you want them, open this link within a week:

${link}

You need no account. Each alert has a link to stop them. If you do not want them, ignore this mail: no alerts will come.${SIGNED}`,
  };
}

interface AddressFacts {
  teamName: string;
  link: string;
}
