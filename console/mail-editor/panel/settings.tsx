import type { EditorState, Transaction } from 'prosemirror-state';
import type { Media } from '../../../client/index.ts';
import type { Block, Look } from '../../../schemas/templates/block-types.ts';
import { textOn } from '../../parts/data/colours.ts';
import { Button } from '../../parts/forms/button.tsx';
import { Field, Select, TextArea } from '../../parts/forms/field.tsx';
import type { Form } from '../../parts/forms/form.ts';
import { UploadButton } from '../../parts/forms/upload-button.tsx';
import { useBrand } from '../colours/brand.ts';
import { colourIn, coloursOfLook } from '../colours/of-brand.ts';
import { blockAt, type Chosen, copyBlock, moveBlock, removeBlock, setBlock, setFields } from '../model/acts.ts';
import type { Refusal } from '../model/checks.ts';
import { blockOf } from '../model/convert.ts';
import type { Pick } from '../pick-menu.tsx';
import { pictureFields } from '../pictures.ts';
import type { Surface } from '../surface/open.ts';
import { ColourField } from './colour.tsx';
import { Shape } from './grid.tsx';
import { type Texts, useLinkedFields } from './linked.ts';
import { Rows } from './rows.tsx';
import { SnippetChoice } from './snippet.tsx';
import { readValue, type Spec, specs } from './specs.ts';

export interface SettingsProps {
  chosen: Chosen;
  surface: Surface;
  refusals: readonly Refusal[];
  /** `field` was written: what is typed into one field is one act. */
  write(tr: Transaction, field: string): void;
  why: string | null;
  isMarketing: boolean;
  /** Of people, for conditions. */
  fields: readonly Pick[];
}

/** The settings of the chosen block. */
export function Settings(props: SettingsProps) {
  const { chosen, surface, why } = props;
  const block = blockOf(chosen.node);
  /** The block may be elsewhere since this was drawn. */
  const act = (make: (state: EditorState, now: Chosen) => Transaction, field: string) => {
    const state = surface.state.peek();
    const now = blockAt(state.doc, block.id);
    if (now) props.write(make(state, now), field);
  };
  const put = (next: Block, field: string) => act((state, now) => setBlock(state, now, next), field);
  const set = (fields: Partial<Block>, field: string) => act((state, now) => setFields(state, now, fields), field);
  return (
    <>
      {why === null && <Acts surface={surface} isFooter={chosen.type === 'footer'} isMarketing={props.isMarketing} />}
      {chosen.type === 'text' && (
        <p class="dim small">
          Its words are written in the mail. The buttons above the mail make lists, links and bold words.
        </p>
      )}
      <Fields {...props} block={block} onSet={set} />
      <Rows block={block} why={why} fields={props.fields} errors={errorsOf(props.refusals, block.id)} onSet={set} />
      <Shape block={block} why={why} onPut={put} />
    </>
  );
}

export function errorsOf(refusals: readonly Refusal[], id: string): Texts {
  return Object.fromEntries(refusals.filter(({ blockId }) => blockId === id).map(({ field, text }) => [field, text]));
}

function Acts({ surface, isFooter, isMarketing }: { surface: Surface; isFooter: boolean; isMarketing: boolean }) {
  const run = (command: typeof removeBlock) => () => {
    surface.run(command);
    surface.focus();
  };
  return (
    <div class="row wrap">
      <Button isSmall onClick={run(moveBlock(-1))} label="Move up">
        Up
      </Button>
      <Button isSmall onClick={run(moveBlock(1))} label="Move down">
        Down
      </Button>
      <Button isSmall icon="copy" why={isFooter && 'A mail has one footer.'} onClick={run(copyBlock)}>
        Copy
      </Button>
      <Button
        isSmall
        icon="trash"
        why={isFooter && isMarketing && 'Mail of campaigns has a link to unsubscribe.'}
        onClick={run(removeBlock)}
      >
        Remove
      </Button>
    </div>
  );
}

function Fields({
  chosen,
  surface,
  block,
  refusals,
  why,
  onSet,
}: SettingsProps & { block: Block; onSet: (fields: Partial<Block>, field: string) => void }) {
  const own = specs[chosen.type];
  const values = block as unknown as Record<string, unknown>;
  const texts = Object.fromEntries(own.map(({ name }) => [name, String(values[name] ?? '')]));
  const form = useLinkedFields(texts, errorsOf(refusals, block.id), (name, text) => {
    const spec = own.find((one) => one.name === name);
    if (!spec) return;
    try {
      onSet({ [name]: readValue(spec, text), ...withPortrait(block, name, text) } as Partial<Block>, name);
    } catch (error) {
      form.errors.value = { ...form.errors.peek(), [name]: (error as Error).message };
    }
  });
  const look: Look = surface.state.value.doc.attrs.props.look ?? {};
  const shown = own.filter(({ name }) => name !== 'alt' || values.src !== undefined);
  return (
    <>
      {shown.map((spec) => (
        <Setting
          key={spec.name}
          {...{ spec, form, why, block, look }}
          onUploaded={(picture) =>
            onSet({ ...pictureFields(block, picture), ...withPortrait(block, spec.name, picture.url) }, '')
          }
        />
      ))}
    </>
  );
}

/** Of a button: its words on its ground. */
function useAgainst(block: Block, name: string, look: Look): string | undefined {
  const brand = useBrand();
  if (block.type !== 'button') return undefined;
  const ground = colourIn(brand, block.background) ?? coloursOfLook(brand, look).accent;
  return name === 'colour' ? ground : (colourIn(brand, block.colour) ?? textOn(ground));
}

/** A portrait comes with its words, and goes with them. */
function withPortrait(block: Block, name: string, text: string): object {
  if (block.type !== 'signature' || name !== 'src') return {};
  return { alt: text === '' ? undefined : (block.alt ?? `Portrait of ${block.name}`) };
}

function Setting({
  spec,
  form,
  why,
  block,
  look,
  onUploaded,
}: {
  spec: Spec;
  look: Look;
  form: Form<Texts>;
  why: string | null;
  block: Block;
  onUploaded: (picture: Media) => void;
}) {
  const { name, label, kind, hint, options = [] } = spec;
  const against = useAgainst(block, name, look);
  const shared = { form, name, label, why, ...(hint && { hint }) };
  switch (kind) {
    case 'snippet':
      return <SnippetChoice {...shared} />;
    case 'area':
      return <TextArea {...shared} rows={10} isMono />;
    case 'number':
      return <Field {...shared} inputMode="numeric" isNarrow autocomplete="off" />;
    case 'choice':
      return <Select {...shared} options={[...options]} />;
    case 'colour':
      return <ColourField {...shared} against={against} />;
    case 'picture':
      return (
        <div class="stack tight">
          <Field {...shared} autocomplete="off" />
          {why === null && (
            <UploadButton
              label="Upload a picture"
              next={block.type === 'header' ? 'it is in the mail' : 'describe it in words'}
              onUploaded={onUploaded}
            />
          )}
        </div>
      );
    default:
      return <Field {...shared} autocomplete="off" />;
  }
}
