import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTransport } from 'nodemailer';
import { startSmtpServer } from './smtp.ts';

const MAIL = {
  from: 'belfry@bells.test',
  to: 'ringer@bells.test',
  subject: 'Läuten',
  text: 'Glöckchen ☎',
};

test('a mail is kept, decoded and raw', async () => {
  await using smtp = await startSmtpServer();
  const transport = createTransport(smtp.url);
  await transport.sendMail({ ...MAIL, bcc: 'hidden@bells.test' });
  const mail = await smtp.next();
  assert.equal(mail.from, 'belfry@bells.test');
  assert.deepEqual(mail.to, ['ringer@bells.test', 'hidden@bells.test']);
  assert.equal(mail.subject, 'Läuten');
  assert.equal(mail.text.trim(), 'Glöckchen ☎');
  assert.equal(mail.html, '');
  assert.match(mail.raw, /^Subject: =\?UTF-8/im);
  assert.equal(mail.headers.find(({ key }) => key === 'to')?.value, 'ringer@bells.test');
  transport.close();
});

test('recipients and emails are rejected as configured, and rejected emails are not kept', async () => {
  await using smtp = await startSmtpServer();
  const transport = createTransport(smtp.url);
  smtp.judgeRecipients((address) =>
    address.startsWith('nobody') ? { code: 550, text: 'no such ringer' } : null,
  );
  await assert.rejects(transport.sendMail({ ...MAIL, to: 'nobody@bells.test' }), /no such ringer/);
  smtp.judgeMails(({ subject }) => (subject === 'Läuten' ? { code: 451, text: 'later' } : null));
  await assert.rejects(transport.sendMail(MAIL), { responseCode: 451 });
  await transport.sendMail({ ...MAIL, subject: 'other' });
  assert.deepEqual(
    smtp.mails.map(({ subject }) => subject),
    ['other'],
  );
  transport.close();
});

test('with a user set only that user may send', async () => {
  await using smtp = await startSmtpServer({ user: { name: 'bell@ringer', password: 'p:s/s' } });
  await createTransport(smtp.url).sendMail(MAIL);
  const anonymous = createTransport(`smtp://127.0.0.1:${smtp.port}`);
  await assert.rejects(anonymous.sendMail(MAIL));
  assert.equal(smtp.mails.length, 1);
});
