import type { ReactNode } from 'react';
import docs from '#docs/signing.md?raw';
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from '#domain/http/signature';
import { ActionButton, Form } from '../forms/Form.tsx';
import { ConfirmDialog } from '../parts/Popover.tsx';
import { CodeBlock } from '../parts/CopyButton.tsx';
import { DefinitionList } from '../parts/DefinitionList.tsx';
import { Section } from '../parts/Section.tsx';
import { ShownOnce, useKept } from '../parts/ShownOnce.tsx';
import { Time } from '../parts/Time.tsx';
import { actOn, open } from '../serving/open.ts';
import { readVerificationSamples } from '../words/verification-samples.ts';
import type { Route } from './+types/settings.signing.ts';

export async function loader({ context }: Route.LoaderArgs) {
  const { actor, signing } = open(context, 'signing-secret');
  const { present: secret, next } = await signing.readSigningSecrets(actor);
  const headers = { signature: SIGNATURE_HEADER, timestamp: TIMESTAMP_HEADER };
  return { secret, next, headers, samples: readVerificationSamples(docs) };
}

export function action({ context }: Route.ActionArgs) {
  const { actor, signing, intent, say } = open(context, 'signing-secret');
  const done = (text: string) => say('/settings/signing', text);
  return actOn<Promise<unknown>, []>(intent, {
    generate: async () => ({ secret: await signing.generateSigningSecret(actor) }),
    reveal: async () => ({ secret: await signing.revealSigningSecret(actor) }),
    delete: async () => {
      await signing.deleteSigningSecret(actor);
      return done('Requests are no longer signed.');
    },
    'generate-next': async () => {
      const secret = await signing.generateNextSecret(actor);
      return secret === null ? done('There is a next secret already.') : { secret };
    },
    'reveal-next': async () => ({ secret: await signing.revealSigningSecret(actor, 'next') }),
    'use-next': async () =>
      done(
        (await signing.useNextSecret(actor))
          ? 'The next request is signed with the new secret.'
          : 'There is no next secret any more.',
      ),
    'delete-next': async () => {
      await signing.deleteNextSecret(actor);
      return done('The next secret is deleted.');
    },
  });
}

export default function Signing({ loaderData }: Route.ComponentProps) {
  const { secret, next, headers, samples } = loaderData;
  const { kept, take } = useKept((answer: { secret?: string | null }) => answer.secret);
  return (
    <>
      <Section
        title="Signing secret"
        note="With it, each request to a target and each callback has a signature, so that your receiver can verify where it comes from."
      >
        {kept ? (
          <ShownOnce key={kept} title="Give it to those who receive the requests." onTaken={take}>
            <CodeBlock text={kept} label="signing secret" />
          </ShownOnce>
        ) : null}
        {secret === null ? (
          <Form intent="generate" word="Generate secret" variant="filled">
            <p>There is none: requests carry neither signature nor timestamp.</p>
          </Form>
        ) : (
          <SecretFacts since="In force since" secret={secret}>
            <ActionButton intent="reveal">Reveal</ActionButton>
            <ConfirmDialog
              word="Rotate"
              question="Replace the signing secret?"
              fields={{ intent: 'generate' }}
              variant="default"
            >
              The next request is signed with the new one. Receivers that have only the old one
              reject it. To change without a gap, generate the next secret below.
            </ConfirmDialog>
            <ConfirmDialog word="Delete" question="Stop signing?" fields={{ intent: 'delete' }}>
              Requests then have neither signature nor timestamp. Receivers that require them reject
              the requests. A next secret is deleted, too.
            </ConfirmDialog>
          </SecretFacts>
        )}
      </Section>
      <Section
        title="Next secret"
        note="To change the secret without a gap, give receivers the next one first. Once all accept both, put it in force."
      >
        <NextSecret secret={next} />
      </Section>
      <Section
        title="How to verify"
        note="Compare in constant time, and refuse timestamps more than five minutes off."
      >
        <p>
          <code>{headers.timestamp}</code> is the Unix time in seconds at the moment of sending.{' '}
          <code>{headers.signature}</code> is the HMAC-SHA256, in 64 lower-case hexadecimal digits,
          of the timestamp, a full stop and the exact bytes of the body; a request without a body is
          signed over the timestamp and the full stop alone. The key is the secret’s text.
        </p>
        {samples.map(({ language, code }, at) => (
          <details key={language} open={at === 0} style={{ width: '100%' }}>
            <summary>{language}</summary>
            <CodeBlock text={code} label={`code in ${language}`} />
          </details>
        ))}
      </Section>
    </>
  );
}

type Secret = { createdAt: number; masked: string };

type SecretFactsProps = { since: string; secret: Secret; children: ReactNode };

function SecretFacts({ since, secret, children }: SecretFactsProps) {
  return (
    <>
      <DefinitionList
        entries={[
          ['Secret', <code>{secret.masked}</code>],
          [since, <Time at={secret.createdAt} />],
        ]}
      />
      <div className="row">{children}</div>
    </>
  );
}

/** Receivers can have it before it signs. */
function NextSecret({ secret }: { secret: Secret | null }) {
  if (secret === null)
    return <ActionButton intent="generate-next">Generate next secret</ActionButton>;
  return (
    <SecretFacts since="Generated" secret={secret}>
      <ActionButton intent="reveal-next">Reveal next</ActionButton>
      <ConfirmDialog
        word="Put in force"
        question="Sign with the next secret from now on?"
        fields={{ intent: 'use-next' }}
        variant="default"
      >
        Belfry signs the next request with it. Receivers that don’t have it yet reject the request.
      </ConfirmDialog>
      <ConfirmDialog
        word="Delete next"
        question="Delete the next secret?"
        fields={{ intent: 'delete-next' }}
      >
        Requests stay signed with the present secret.
      </ConfirmDialog>
    </SecretFacts>
  );
}
