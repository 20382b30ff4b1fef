import { ActionButton } from '../forms/ActionButton.tsx';
import { ConfirmDialog } from '../parts/ConfirmDialog.tsx';
import { DefinitionList } from '../parts/DefinitionList.tsx';
import { Section } from '../parts/Section.tsx';
import { Time } from '../parts/Time.tsx';

interface Next {
  createdAt: number;
  masked: string;
}

/** The secret that will sign once it is put in force: receivers can have it before. */
export function NextSecret({ next }: { next: Next | null }) {
  return (
    <Section
      title="Next secret"
      note="To change the secret without a gap, give receivers the next one first. Once all accept both, put it in force."
    >
      {next ? <Made next={next} /> : <None />}
    </Section>
  );
}

function None() {
  return <ActionButton intent="generate-next">Generate next secret</ActionButton>;
}

function Made({ next }: { next: Next }) {
  return (
    <>
      <DefinitionList
        entries={[
          ['Secret', <code key="secret">{next.masked}</code>],
          ['Generated', <Time key="time" at={next.createdAt} />],
        ]}
      />
      <div className="row">
        <ActionButton intent="reveal-next">Reveal next</ActionButton>
        <ConfirmDialog
          word="Put in force"
          question="Sign with the next secret from now on?"
          fields={{ intent: 'use-next' }}
          variant="default"
        >
          Belfry signs the next request with it. Receivers that don’t know it yet reject the
          request.
        </ConfirmDialog>
        <ConfirmDialog
          word="Delete next"
          question="Delete the next secret?"
          fields={{ intent: 'delete-next' }}
        >
          Requests stay signed with the present secret.
        </ConfirmDialog>
      </div>
    </>
  );
}
