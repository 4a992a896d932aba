import type { ComponentChildren } from 'preact';
import type { Automation } from '../../../../client/index.ts';
import { Pairs } from '../../../parts/data/details.tsx';
import { count, percent } from '../../../parts/data/format.ts';
import { Empty } from '../../../parts/page/notice.tsx';
import { Section } from '../../../parts/page/page.tsx';
import { to } from '../../../router.ts';
import type { Names } from '../names.ts';
import { END, nameOf, waysOf, zoneWords } from './flow.ts';
import { exitWords } from './state.tsx';
import { updateLines } from './update.ts';
import { webhookLines } from './webhook.ts';

/** The step that was chosen in the graph, with its figures. */
export function ChosenStep({
  automation,
  names,
  stepId,
  isDraft,
}: {
  automation: Automation;
  names: Names;
  stepId: string | null;
  isDraft: boolean;
}) {
  const index = automation.steps.findIndex((one) => one.stepId === stepId);
  const step = automation.steps[index];
  if (!step)
    return (
      <Section title="Step">
        <Empty title="No step is chosen">Choose one in the graph to see its figures and its content.</Empty>
      </Section>
    );
  const figures = automation.statistics?.steps.find((one) => one.stepId === step.stepId);
  const people = (n: number, query: Record<string, string>) =>
    n === 0 ? (
      '0'
    ) : (
      <a class="link" href={to(`/automations/${automation.id}`, { tab: 'people', ...query })}>
        {count(n)}
      </a>
    );
  const { active = 0, entered = 0, exited = 0, exitedBy = {}, emails = 0 } = figures ?? {};
  const { zoneMissing = 0, updated = 0, failed = 0, answered = 0 } = figures ?? {};
  const { heard = 0, timedOut = 0, converted = 0 } = figures ?? {};
  const pairs: Array<readonly [string, ComponentChildren]> = [
    ['Here now', people(active, { at: step.stepId })],
    ['Came here', count(entered)],
    ['Left here', count(exited)],
    ...Object.entries(exitedBy)
      .filter(([, n]) => n > 0)
      .map(([reason, n]) => [exitWords(reason), count(n)] as const),
    ...(step.type === 'email' ? [['Mails', count(emails)] as const] : []),
    ...(step.until?.timezone === 'contact' ? [['Without a zone of their own', count(zoneMissing)] as const] : []),
    ...(step.type === 'update_contact'
      ? [['Changed', count(updated)] as const, ['Could not be changed', count(failed)] as const]
      : []),
    ...(step.webhook?.wait ? [['Answered', count(answered)] as const, ['Failed', count(failed)] as const] : []),
    ...(step.type === 'wait_event'
      ? [['The event came', count(heard)] as const, ['Not in time', count(timedOut)] as const]
      : []),
    ...(step.type === 'goal'
      ? [
          ['Converted', count(converted)] as const,
          ['Of all who entered', percent(converted, automation.statistics?.entered ?? 0)] as const,
        ]
      : []),
  ];
  const zone = zoneWords(step);
  return (
    <Section title={nameOf(step, names.templates)} note={`step ${index + 1}`}>
      <Pairs pairs={pairs} isNum />
      {zone && <p class="dim">{zone}</p>}
      {step.type === 'email' && step.email?.templateId && (
        <p>
          <a class="link" href={to(`/templates/${step.email.templateId}`)}>
            {names.templates.name(step.email.templateId)}
          </a>{' '}
          <span class="dim">is the content</span>
        </p>
      )}
      {step.type === 'update_contact' && <Pairs pairs={updateLines(step.update ?? {}, names.lists.name)} />}
      {step.webhook && <Pairs pairs={webhookLines(step.webhook)} />}
      {(['branch', 'split', 'wait_event'].includes(step.type) || step.webhook?.wait) && (
        <Pairs
          pairs={waysOf(automation.steps)
            .filter(({ from }) => from === step.stepId)
            .map((way) => {
              const target = automation.steps.find((one) => one.stepId === way.to);
              return [
                way.label ?? '',
                way.to === END || !target ? (
                  'Complete'
                ) : (
                  <a
                    class="link"
                    href={to(`/automations/${automation.id}`, { show: isDraft ? 'draft' : undefined, step: way.to })}
                  >
                    {nameOf(target, names.templates)}
                  </a>
                ),
              ] as const;
            })}
        />
      )}
    </Section>
  );
}
