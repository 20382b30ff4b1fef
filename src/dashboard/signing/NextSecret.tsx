import { Button } from '../parts/Button.tsx';
import { ConfirmDialog } from '../parts/ConfirmDialog.tsx';
import { DefinitionList } from '../parts/DefinitionList.tsx';
import { ErrorSummary } from '../forms/ErrorSummary.tsx';
import { TextField } from '../forms/Field.tsx';
import { Form } from '../forms/Form.tsx';
import { Section } from '../parts/Section.tsx';
import { Time } from '../parts/Time.tsx';
import type { FieldErrors } from '../services.ts';

type NextSecretProps = {
  next: { createdAt: number; from: number; masked: string } | null;
  /** What was typed and refused. */
  typed: string;
  errors: FieldErrors | undefined;
};

/** The secret that will sign from a time on: receivers can have it before. */
export function NextSecret({ next, typed, errors }: NextSecretProps) {
  return (
    <Section
      title="Next secret"
      note="To change without a gap: give it to the receivers, let them take both, and drop the old one a while after the change."
    >
      {next ? <Planned next={next} /> : <Plan typed={typed} errors={errors} />}
    </Section>
  );
}

function Plan({ typed, errors }: Omit<NextSecretProps, 'next'>) {
  return (
    <Form noValidate>
      <TextField
        type="datetime-local"
        name="from"
        label="Signs from (UTC)"
        description="Until then requests are signed as they are now."
        required
        defaultValue={typed}
        errors={errors}
      />
      <div className="row">
        <ErrorSummary errors={errors} />
        <Button type="submit" name="intent" value="plan" variant="default">
          Generate next secret
        </Button>
      </div>
    </Form>
  );
}

function Planned({ next }: { next: NonNullable<NextSecretProps['next']> }) {
  return (
    <>
      <DefinitionList
        entries={[
          ['Secret', <code key="secret">{next.masked}</code>],
          ['Generated', <Time key="time" at={next.createdAt} />],
          ['Signs from', <Time key="from" at={next.from} />],
        ]}
      />
      <div className="row">
        <Form>
          <Button type="submit" name="intent" value="reveal-next" variant="default">
            Reveal next
          </Button>
        </Form>
        <ConfirmDialog
          word="Use now"
          question="Sign with the next secret from now on?"
          fields={{ intent: 'use-next' }}
          variant="default"
        >
          The next request is signed with it. Receivers that do not know it yet refuse it.
        </ConfirmDialog>
        <ConfirmDialog
          word="Delete next"
          question="Delete the next secret?"
          fields={{ intent: 'delete-next' }}
        >
          Requests stay signed as they are now.
        </ConfirmDialog>
      </div>
    </>
  );
}
