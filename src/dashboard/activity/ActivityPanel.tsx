import { describeAction } from '#domain/team/activity';
import { Panel } from '../parts/Panel.tsx';
import { Time } from '../parts/Time.tsx';
import type { Activity } from '../services.ts';

export function ActivityPanel({ activity }: { activity: readonly Activity[] }) {
  if (activity.length === 0) return null;
  return (
    <Panel title="Activity" isBare>
      <ul className="body">
        {activity.map(({ id, at, actor, action, detail }) => (
          <li key={id}>
            {describeAction(action)} by {actor}, <Time at={at} />
            {detail === null ? null : <span className="muted">{` ${detail}`}</span>}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
