import { breakLinks } from '#domain/team/plain-names';
import type { Mail } from './mail.ts';

/**
 * Plain text. No subject contains a name, and no name becomes a link, so attackers can't make us mail their message.
 */

function letter(to: string, link: string | null, subject: string, paragraphs: string[]): Mail {
  return { to, link, subject, text: `${[...paragraphs, 'Belfry'].join('\n\n')}\n` };
}

const letterAround =
  (subject: string, before: string, after: string) => (to: string, link: string) =>
    letter(to, link, subject, [before, link, after]);

export const writeResetMail = letterAround(
  'Set a new password for Belfry',
  'Somebody asked to set a new password for your Belfry account. To do so, open this link within an hour:',
  'If it was not you, ignore this mail: your password stays as it is.',
);

export const writeEmailChangeMail = letterAround(
  'Confirm your new email address for Belfry',
  'To use this address for your Belfry account, open this link within an hour:',
  'If you did not ask for it, ignore this mail.',
);

export const writeEmailMail = letterAround(
  'Confirm your email address for Belfry',
  'There is a Belfry account with this address. If it is yours, open this link within an hour, so that alerts and invitations can be mailed:',
  'If it is not yours, ignore this mail: nothing else will come.',
);

export const writeSignUpMail = letterAround(
  'Your link to create a Belfry account',
  'To create a Belfry account with this address, open this link within an hour:',
  'If you did not ask for it, ignore this mail: there is no account, and nothing else will come.',
);

/** To an existing account, which the sign-up page must not reveal. */
export const writeHasAccountMail = letterAround(
  'You have a Belfry account already',
  'Somebody asked to create a Belfry account with this address, which has one already. Sign in here:',
  'If it was not you, ignore this mail.',
);

/** To the old address, before the change. */
export function writeEmailChangeAskedMail(to: string, newEmail: string, stopLink: string): Mail {
  return letter(to, stopLink, 'A change of the email of your Belfry account was requested', [
    `Somebody who is signed in to your Belfry account, and knows its password, asked to change its email to ${newEmail}. If it was you, there is nothing to do here: confirm the change by the link that the new address got.`,
    'If it was not you, open this link within an hour. It stops the change:',
    stopLink,
    'Then set a new password: it ends all sessions.',
  ]);
}

/** To the old address, after the change. A thief with a session can't stop it. */
export function writeEmailChangedMail(to: string, newEmail: string): Mail {
  return letter(to, null, 'Your Belfry account has a new email address', [
    `Your Belfry account now uses ${newEmail}. If you did not change it, contact the operator of this Belfry at once.`,
  ]);
}

export function writeInvitationMail(
  to: string,
  { teamName, invitedByName, link }: { teamName: string; invitedByName: string; link: string },
): Mail {
  return letter(to, link, 'You are invited to a team on Belfry', [
    `${breakLinks(invitedByName)} invites you to the team “${breakLinks(teamName)}” on Belfry. To join it, open this link within a week:`,
    link,
    'The link works once.',
  ]);
}

/** To a person who may not use Belfry. */
export function writeAddressMail(
  to: string,
  { teamName, link }: { teamName: string; link: string },
): Mail {
  return letter(to, link, 'Confirm that you want alerts from Belfry', [
    `The team “${breakLinks(teamName)}” wants to send alerts about its scheduled requests to this address. If you want them, open this link within a week:`,
    link,
    'You need no account. Each alert has a link to stop them. If you do not want them, ignore this mail: no alerts will come.',
  ]);
}
