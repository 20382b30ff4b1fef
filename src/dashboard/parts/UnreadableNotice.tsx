import { Notice } from './Notice.tsx';

/** Says that something stored with a cron cannot be read, and how to repair it. */
export function UnreadableNotice({ what }: { what: string | null }) {
  if (what === null) return null;
  return (
    <Notice kind="failed" title={what}>
      It is shown as empty. Every run fails and nothing is sent until the cron is edited and saved
      with it entered anew. If other crons say the same, the operator has to see that the service
      has the APP_KEY that its database was made with.
    </Notice>
  );
}
