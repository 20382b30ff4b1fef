import { useShell } from '../page/shell.ts';
import { useEffect, useRef, type SubmitEvent } from 'react';
import {
  // oxlint-disable-next-line no-restricted-imports -- this is the one place
  Form as RouterForm,
  useActionData,
  type FormProps,
} from 'react-router';
import { noteUntaken, readConnection } from '../connection/connection.ts';
import { rememberAnswer } from '../connection/keep-page.ts';
import { useMaySend } from '../page/may-change.ts';
import { personField, teamField } from '../serving/form-team.ts';
import { goToFirstWrong } from './wrong-fields.ts';

/**
 * The only form of the dashboard that changes something. It carries the person and the team that it was opened for. If the service
 * does not answer or refuses the form, what was typed stays. It is not rendered for viewers if their role would be
 * refused.
 */
export function Form({ children, ...props }: Omit<FormProps, 'method'>) {
  const answer: unknown = useActionData();
  const shown = useShell();
  const ref = useRef<HTMLFormElement>(null);
  const maySend = useMaySend(props.action);
  useEffect(() => {
    if (answer !== undefined && ref.current) goToFirstWrong(ref.current);
  }, [answer]);
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    props.onSubmit?.(event);
    if (event.defaultPrevented) return;
    rememberAnswer(answer);
    if (readConnection().kind !== 'lost') return;
    event.preventDefault();
    noteUntaken({
      title: 'Nothing was sent',
      text: 'Belfry does not answer. What you typed is still here. Send it again once the connection is back.',
    });
  };
  if (!maySend) return null;
  return (
    <RouterForm {...props} ref={ref} method="post" onSubmit={onSubmit}>
      {shown ? (
        <>
          <input type="hidden" name={teamField} value={shown.team.id} />
          <input type="hidden" name={personField} value={shown.user.id} />
        </>
      ) : null}
      {children}
    </RouterForm>
  );
}
