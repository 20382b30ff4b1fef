import { open } from '../serving/open.ts';
import { listDaysOfMonth } from '#domain/team/usage-forecast';
import { DefinitionList } from '../parts/DefinitionList.tsx';
import { StackedBars } from '../plots/Plot.tsx';
import { formatCount } from '../plots/plot-scale.ts';
import { Section } from '../parts/Section.tsx';
import { UsageBar } from '../plots/UsageBar.tsx';
import { describeForecast } from '../words/times.ts';
import type { Route } from './+types/settings.billing.ts';

export async function loader({ context }: Route.LoaderArgs) {
  const { actor, people, work, now } = open(context, 'billing');
  const { billing } = people;
  const [usage, byDay] = await Promise.all([
    billing.readUsage(actor.teamId),
    billing.listUsageByDay(actor),
  ]);
  const forecast = describeForecast(await work.readForecast(actor.teamId, usage));
  return { usage, byDay, days: listDaysOfMonth(now), forecast };
}

export default function Billing({ loaderData }: Route.ComponentProps) {
  const { usage, byDay, days, forecast } = loaderData;
  const runs = new Map(byDay.map((each) => [each.day, each.runs]));
  return (
    <>
      <Section
        title="Plan"
        note="Which plan a team is on is set by the operator of this installation."
      >
        <DefinitionList
          entries={[
            ['Plan', usage.plan],
            [
              'Limit',
              usage.limit === null
                ? 'None'
                : `${usage.limit.toLocaleString('en')} runs a month (UTC)`,
            ],
            [
              'This month',
              <UsageBar used={usage.used} limit={usage.limit} label="Runs of this month" />,
            ],
            ['Forecast', forecast],
          ]}
        />
      </Section>
      <Section
        title="Usage by day"
        note="Every run counts, retries and Run now included; callbacks don’t."
      >
        <div>
          <StackedBars
            title="Runs per day of this month (UTC)"
            labels={days.map((day) => day.slice(8))}
            series={[{ name: 'Runs', tone: 'blue', values: days.map((day) => runs.get(day) ?? 0) }]}
            format={formatCount}
          />
        </div>
      </Section>
    </>
  );
}
