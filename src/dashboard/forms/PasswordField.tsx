import { useState } from 'react';
import { useLocation } from 'react-router';
import { LIMITS } from '#domain/base/limits';
import { ProviderLink } from '../account/ProviderLink.tsx';
import { useShell } from '../page/shell.ts';
import { Glyph } from '../parts/Glyph.tsx';
import { useField } from './Form.tsx';
import { FieldFrame, type OwnFieldProps, useControl } from './Field.tsx';
import classes from './Field.module.css';

/** Only the button that shows it needs a script. */
function PasswordField(props: OwnFieldProps<'input'>) {
  const { frame, control } = useControl(props);
  const [isShown, setShown] = useState(false);
  return (
    <FieldFrame {...frame}>
      <div className={classes.password}>
        <input required {...control} type={isShown ? 'text' : 'password'} />
        <button
          type="button"
          className={`${classes.eye} needs-script`}
          aria-label={isShown ? 'Hide password' : 'Show password'}
          onClick={() => setShown(!isShown)}
        >
          <Glyph name={isShown ? 'eye-off' : 'eye'} />
        </button>
      </div>
    </FieldFrame>
  );
}

type NewPasswordProps = { label: string; description?: string; autoFocus?: boolean };

export function NewPasswordField({
  label,
  description = 'At least 8 characters.',
  ...more
}: NewPasswordProps) {
  return (
    <PasswordField
      {...more}
      name="password"
      label={label}
      description={description}
      autoComplete="new-password"
      minLength={8}
      maxLength={LIMITS.passwordCharacters.most}
    />
  );
}

/** If a session alone isn't enough. People without a password confirm at the provider. */
export function CurrentPasswordField({ name = 'password', label = 'Password' }) {
  const { pathname } = useLocation();
  const { error } = useField(name);
  const confirmation = useShell()?.confirmation;
  if (!confirmation)
    return <PasswordField name={name} label={label} autoComplete="current-password" />;
  const { provider, isProved, asksAgain } = confirmation;
  if (!asksAgain) {
    const word = isProved ? 'says with each page that it is you' : 'has to say that it is you';
    return <p className="muted">{error ?? `No password: ${provider} ${word}.`}</p>;
  }
  if (isProved) return <p className="muted">{`Confirmed with ${provider} a moment ago.`}</p>;
  return (
    <div>
      <p>{error ?? `Confirm first that it is you. You sign in at ${provider} and return here.`}</p>
      <ProviderLink name={provider} next={pathname} word={`Confirm with ${provider}`} isAgain />
    </div>
  );
}
