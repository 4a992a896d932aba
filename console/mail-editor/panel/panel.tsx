import { useSignal } from '@preact/signals';
import { NodeSelection, type Transaction } from 'prosemirror-state';
import { Button } from '../../parts/forms/button.tsx';
import { Choose } from '../../parts/forms/choices.tsx';
import { Field } from '../../parts/forms/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { chooseFrame, chosenBlock, frameOf } from '../model/acts.ts';
import type { Refusal } from '../model/checks.ts';
import { labels } from '../model/labels.ts';
import type { Pick } from '../pick-menu.tsx';
import type { Surface } from '../surface/open.ts';
import { useLinkedFields } from './linked.ts';
import { OfMail } from './of-mail.tsx';
import { Settings } from './settings.tsx';

interface PanelProps {
  surface: Surface;
  refusals: readonly Refusal[];
  write: (tr: Transaction, field: string) => void;
  why: string | null;
  isMarketing: boolean;
  /** Of people, for conditions. */
  fields: readonly Pick[];
  onClose: () => void;
}

/** Next to the mail: the settings of what is chosen, or of the mail as a whole. */
export function Panel(props: PanelProps) {
  const { surface, write, why, onClose } = props;
  const isOfMail = useSignal(false);
  const state = surface.state.value;
  const chosen = chosenBlock(state);
  const frame = chosen && frameOf(state, chosen);
  const id: string = chosen?.node.attrs.props.id ?? '';
  const { selection } = state;
  const chip = selection instanceof NodeSelection && selection.node.type.name === 'variable' ? selection : null;
  const own = (tr: Transaction, field: string) => write(tr, field && `${id} ${field}`);
  return (
    <>
      <div class="row">
        <Choose
          label="Settings of"
          value={isOfMail.value ? 'mail' : 'block'}
          options={[
            { value: 'block', label: 'Block' },
            { value: 'mail', label: 'Mail' },
          ]}
          onChange={(value) => {
            isOfMail.value = value === 'mail';
          }}
        />
        <span class="grow" />
        <button class="btn small icon plain narrow-only" type="button" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      {isOfMail.value ? (
        <div class="stack fields">
          <h2 class="title">Look of the mail</h2>
          <OfMail surface={surface} write={write} why={why} />
        </div>
      ) : (
        <div key={id} class="stack fields">
          <h2 class="title">{chosen ? labels[chosen.type].label : 'No block'}</h2>
          {chip && <Chip key={chip.from} {...{ surface, chip, write, why }} />}
          {chosen ? (
            <Settings {...props} chosen={chosen} write={own} />
          ) : (
            <p class="dim">Click into the mail, or add a block.</p>
          )}
          {frame && why === null && (
            <Button isSmall kind="plain" onClick={() => surface.run(chooseFrame)}>
              Settings of “{labels[frame.type].label}” around it
            </Button>
          )}
        </div>
      )}
    </>
  );
}

/** A variable: its name, and the words in its place. */
function Chip({
  surface,
  chip,
  write,
  why,
}: Omit<PanelProps, 'refusals' | 'isMarketing' | 'fields' | 'onClose'> & { chip: NodeSelection }) {
  const { variable, fallback } = chip.node.attrs;
  const texts = { variable, fallback: fallback ?? '' };
  const form = useLinkedFields(texts, {}, (name, text) => {
    const value = name === 'fallback' && text === '' ? null : text;
    write(surface.state.peek().tr.setNodeAttribute(chip.from, name, value), `chip ${chip.from} ${name}`);
  });
  return (
    <div class="way stack tight">
      <Field form={form} name="variable" label="Variable" why={why} autocomplete="off" />
      <Field
        form={form}
        name="fallback"
        label="Without a value"
        why={why}
        autocomplete="off"
        hint="Words in its place."
      />
    </div>
  );
}
