import { type Automation, EverpostError } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { counted, people } from '../../parts/data/format.ts';
import { confirm } from '../../parts/over/confirm.tsx';
import { toast } from '../../parts/over/toast.tsx';
import { unreadyMails } from './ready.ts';

/** The changes of state. Each asks once, with the number of people of this moment. */
export async function changeState(
  shown: Pick<Automation, 'id'>,
  act: 'activate' | 'pause' | 'resume' | 'archive' | 'delete',
  /** Shows what is missing; otherwise the dialog says it. */
  onRefused?: (error: unknown) => void,
): Promise<Automation | null> {
  const automation = await api.automations.get(shown.id);
  const { id, name, statistics } = automation;
  if (act === 'activate' || act === 'resume') {
    const unready = await unreadyMails(automation);
    if (unready.length > 0) {
      toast(`${name} cannot start: ${counted(unready.length, 'mail')} of it must be changed first.`, { kind: 'bad' });
      return null;
    }
  }
  const n = statistics?.active ?? 0;
  const inside = people(n);
  const held = people(statistics?.parked ?? 0);
  const texts = {
    activate: {
      title: `Activate ${name}`,
      text: 'People enter from now on and get its mails. Those who met the entry criteria before do not enter.',
      action: 'Activate',
      done: 'is active',
    },
    pause: {
      title: `Pause ${name}`,
      text: `No one enters, and ${inside} on the way wait at their next step until you resume.`,
      action: `Pause for ${inside}`,
      done: 'is paused',
    },
    resume: {
      title: `Resume ${name}`,
      text: `People enter again, and ${inside} go on; ${held} of them were held at a step and go on at once.`,
      action: `Resume for ${inside}`,
      done: 'is active again',
    },
    archive: {
      title: `Archive ${name}`,
      text: `This is for good: no one enters any more, and ${inside} on the way leave without their later mails.`,
      action: `Archive for ${inside}`,
      done: 'is archived',
    },
    delete: {
      title: `Delete ${name}`,
      text: `${inside} on the way leave without their later mails. Mails that were sent keep their records.`,
      action: `Delete for ${inside}`,
      done: 'is deleted',
    },
  }[act];
  let changed: Automation | undefined;
  const isDone = await confirm({
    ...{ title: texts.title, text: texts.text, action: texts.action },
    isDangerous: act === 'archive' || act === 'delete',
    run: async () => {
      try {
        changed = (await api.automations[act](id)) ?? automation;
      } catch (error) {
        if (!onRefused || !isRefusal(error)) throw error;
        onRefused(error);
      }
    },
  });
  if (!isDone || !changed) return null;
  toast(`${name} ${texts.done}`, { kind: 'good' });
  return changed;
}

/** Activation and publication say all that is missing at once. */
export function isRefusal(error: unknown): boolean {
  return error instanceof EverpostError && error.status === 400;
}
