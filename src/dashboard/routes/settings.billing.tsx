import { open } from '../serving/open.ts';
import { DefinitionList } from '../parts/DefinitionList.tsx';
import { Section } from '../parts/Section.tsx';
import { UsageBar } from '../plots/UsageBar.tsx';
import type { Route } from './+types/settings.billing.ts';

export async function loader({ context }: Route.LoaderArgs) {
  const { actor, people } = open(context, 'billing');
  return { usage: await people.billing.readUsage(actor.teamId) };
}

export default function Billing({ loaderData: { usage } }: Route.ComponentProps) {
  const limit = usage.limit?.toLocaleString('en');
  return (
    <Section
      title="Plan"
      note="Which plan a team is on is set by the operator of this installation. Every run counts, retries and Run now included; callbacks don’t."
    >
      <DefinitionList
        entries={[
          ['Plan', usage.plan],
          ['Limit', limit === undefined ? 'None' : `${limit} runs a month (UTC)`],
          [
            'This month',
            <UsageBar used={usage.used} limit={usage.limit} label="Runs of this month" />,
          ],
        ]}
      />
    </Section>
  );
}
