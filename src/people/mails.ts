import type { Mail } from './mail.ts';

/** The texts of mails. Names of people and teams are data in them, never markup: mails are plain text. */

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

/** To the old address, once the new one is in force: the one warning that a stolen session can't stop. */
export function writeEmailChangedMail(to: string, newEmail: string): Mail {
  return {
    to,
    link: null,
    subject: 'Your Belfry account has a new email address',
    text: `Your Belfry account now uses ${newEmail}. If you did not change it, ask the operator of this Belfry for help at once.${SIGNED}`,
  };
}

export interface InvitationFacts {
  teamName: string;
  invitedByName: string;
  link: string;
}

export function writeInvitationMail(to: string, facts: InvitationFacts): Mail {
  const { teamName, invitedByName, link } = facts;
  return {
    to,
    link,
    subject: `Join ${teamName} on Belfry`,
    text: `${invitedByName} invites you to the team ${teamName} on Belfry. To join it, open this link within a week:

${link}

The link works once.${SIGNED}`,
  };
}
