import type { Starter } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { useQuery } from '../page/query.ts';

type Shown = Pick<Starter, 'id' | 'name' | 'description'>;

const GREETING: Shown = { id: 'greeting', name: 'A greeting', description: 'A heading, some words and a button.' };

/** Mails to begin with, as small pictures of themselves. */
export function StarterList({
  templateType,
  chosen,
  hasFocus = false,
  onPick,
}: {
  templateType: string;
  /** The one that stays chosen; null: the greeting. */
  chosen?: Starter | null;
  /** The first is where the dialog begins. */
  hasFocus?: boolean;
  /** undefined: the greeting. */
  onPick: (begun?: Starter) => void;
}) {
  const starters = useQuery(async (signal) => (await api.templates.starters({}, { signal })).starters);
  const offered = (starters.data.value ?? []).filter((one) => one.templateType === templateType);
  return (
    <ul class="starters" aria-label="Begin with">
      {[undefined, ...offered].map((begun) => {
        const { id, name, description } = begun ?? GREETING;
        return (
          <li key={id}>
            <button
              type="button"
              autofocus={hasFocus && begun === undefined}
              aria-pressed={chosen === undefined ? undefined : id === (chosen ?? GREETING).id}
              onClick={() => onPick(begun)}
            >
              <Drawn id={id} />
              <strong>{name}</strong>
              <span class="sub small">{description}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** Its upper part, as it was drawn when it was written. */
function Drawn({ id }: { id: string }) {
  return <img class="drawn" src={`/media/starter-mail-${id}.jpg`} alt="" width={360} height={420} loading="lazy" />;
}
