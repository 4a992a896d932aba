import { can } from '../../session.ts';
import { Button } from '../forms/button.tsx';

export interface NextStep {
  label: string;
  href: string;
  /** It is offered to those whose role may call this. */
  operation?: string;
  /** Why it cannot be done yet; it is shown, so that nothing moves when it can. */
  why?: string | false;
}

/** Links to the work that follows a job, in a row under its figures. */
export function NextSteps({ steps }: { steps: readonly NextStep[] }) {
  const offered = steps.filter(({ operation }) => !operation || can(operation));
  return (
    <div class="row wrap" role="group" aria-label="What comes next">
      {offered.map(({ label, href, why }) => (
        <Button key={label} isSmall href={href} why={why}>
          {label}
        </Button>
      ))}
    </div>
  );
}
