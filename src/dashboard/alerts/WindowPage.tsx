import { PageHeader } from '../parts/PageHeader.tsx';
import type { FieldErrors, NamedSource } from '../services.ts';
import { WindowForm } from './WindowForm.tsx';
import type { WindowTyped } from './windowTyped.ts';

type Typed = { typed: WindowTyped; errors?: FieldErrors };

type WindowPageProps = {
  title: string;
  /** On the button that saves it. */
  word: string;
  loaded: Typed & { sources: readonly NamedSource[] };
  /** What was typed and why it was refused, once it was. */
  answer: Typed | undefined;
};

/** The page of a maintenance window's form. */
export function WindowPage({ title, word, loaded, answer }: WindowPageProps) {
  const { typed, errors } = answer ?? loaded;
  return (
    <>
      <PageHeader title={title} parent={{ to: '/maintenance', text: 'Maintenance' }} />
      <WindowForm typed={typed} errors={errors} sources={loaded.sources} word={word} />
    </>
  );
}
