import { type ReactNode, useEffect, useId, useRef } from 'react';
import { Link, useLocation } from 'react-router';
import { CheckField, ChoiceField, TextField } from '../forms/Field.tsx';
import { Form } from '../forms/Form.tsx';
import { Button } from '../parts/Button.tsx';
import { Section } from '../parts/Section.tsx';
import type { FieldErrors } from '../services.ts';
import { countOf } from '../words/amounts.ts';
import { type Asked, cronIntents, muteChoices } from './cron-bulk.ts';

/** Which crons were chosen, to be sent once more. */
export type ChosenFields = { all: boolean; ids: readonly string[] };

type AskProps = {
  asked: Asked;
  errors?: FieldErrors | undefined;
  chosen: ChosenFields;
  /** Those in use, offered while a tag is typed. */
  tags: readonly string[];
};

type Question = { title: string; note: string; intent: string; word: string; fields: ReactNode };

/** Asks what is to be done to all of the chosen crons, before it is done. */
export function AskOfCrons({ asked, errors, chosen, tags }: AskProps) {
  const { pathname, search } = useLocation();
  const box = useRef<HTMLDivElement>(null);
  useEffect(
    () => box.current?.querySelector<HTMLElement>('input:not([type=hidden]), select')?.focus(),
    [],
  );
  const what = chosen.all ? 'all crons that match' : countOf(chosen.ids.length, 'cron', 'crons');
  const { title, note, intent, word, fields } = questionOf(asked, errors, tags);
  return (
    <div ref={box}>
      <Section title={`${title} ${what}`} note={note}>
        <Form noValidate>
          {chosen.all ? <input type="hidden" name="all" value="1" /> : null}
          {chosen.ids.map((id) => (
            <input key={id} type="hidden" name="id" value={id} />
          ))}
          {fields}
          <div className="row">
            <Button type="submit" name="intent" value={intent}>
              {word}
            </Button>
            <Link to={pathname + search}>Cancel</Link>
          </div>
        </Form>
      </Section>
    </div>
  );
}

function questionOf(
  asked: Asked,
  errors: FieldErrors | undefined,
  tags: readonly string[],
): Question {
  switch (asked.about) {
    case 'header':
      return {
        title: 'Set a header in',
        note: 'One that is there under this name, in any case, is replaced. All others stay.',
        intent: cronIntents.setHeader,
        word: 'Set the header',
        fields: <HeaderFields typed={asked.typed} errors={errors} />,
      };
    case 'add-tag':
      return {
        title: 'Add a tag to',
        note: 'The tags that they have stay.',
        intent: cronIntents.setAddedTag,
        word: 'Add the tag',
        fields: <TagField tag={asked.tag} errors={errors} tags={tags} />,
      };
    case 'remove-tag':
      return {
        title: 'Remove a tag from',
        note: 'Their other tags stay.',
        intent: cronIntents.setRemovedTag,
        word: 'Remove the tag',
        fields: <TagField tag={asked.tag} errors={errors} tags={tags} />,
      };
    case 'mute':
      return {
        title: 'Mute',
        note: 'They run, their alerts are kept, and nobody is told. What still fails at the end is told then.',
        intent: cronIntents.setMute,
        word: 'Mute',
        fields: <ChoiceField name="hours" label="For" choices={muteChoices} errors={errors} />,
      };
  }
}

function HeaderFields({
  typed,
  errors,
}: {
  typed: Extract<Asked, { about: 'header' }>['typed'];
  errors: FieldErrors | undefined;
}) {
  return (
    <>
      <TextField
        name="header_name"
        label="Header"
        autoComplete="off"
        required
        defaultValue={typed.name}
        placeholder="Authorization"
        errors={errors}
      />
      <TextField
        name="header_value"
        label="Value"
        autoComplete="off"
        defaultValue={typed.value}
        errors={errors}
      />
      <CheckField
        name="only_where_set"
        label="Only where it is set already"
        description="Untick it to add the header to the others, too."
        defaultChecked={typed.onlyWhereSet}
      />
    </>
  );
}

type TagFieldProps = { tag: string; errors: FieldErrors | undefined; tags: readonly string[] };

function TagField({ tag, errors, tags }: TagFieldProps) {
  const id = useId();
  return (
    <>
      <TextField
        name="tag"
        label="Tag"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        required
        defaultValue={tag}
        placeholder="billing"
        list={id}
        errors={errors}
      />
      <datalist id={id}>
        {tags.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </>
  );
}
