import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { redo, undo } from 'prosemirror-history';
import type { Transaction } from 'prosemirror-state';
import type { Brand } from '../../client/index.ts';
import type { BlockType } from '../../schemas/templates/block-types.ts';
import { api } from '../api.ts';
import { Button } from '../parts/forms/button.tsx';
import { Choose } from '../parts/forms/choices.tsx';
import { Field } from '../parts/forms/field.tsx';
import { toast, toastError } from '../parts/over/toast.tsx';
import { BrandContext, drawBrand, useLoadedBrand } from './colours/brand.ts';
import { Findings } from './findings.tsx';
import type { MailEditorProps, TextField } from './lazy.tsx';
import { LinkDialog } from './link-dialog.tsx';
import { type Menu, Menus } from './menus.tsx';
import { addBlock, setMail, setOfMail } from './model/acts.ts';
import { type Finding, findingsIn, nameIn, wordsOfRefusal } from './model/checks.ts';
import { docOf } from './model/convert.ts';
import { insertVariable } from './model/words.ts';
import { useLinkedFields } from './panel/linked.ts';
import { Panel } from './panel/panel.tsx';
import { pictureFields } from './pictures.ts';
import { Preview } from './preview.tsx';
import { SelectionBar } from './selection-bar.tsx';
import type { Surface } from './surface/open.ts';
import { Toolbar } from './toolbar.tsx';
import { type CompiledMail, type Draft, useCompiled } from './use-mail.ts';
import { useSurface } from './use-surface.ts';
import { useVariables, type Variables } from './variables.ts';

/** Blocks without words of their own, and conditions: their fields come next. */
const THINGS: readonly BlockType[] = ['image', 'video', 'space', 'social', 'menu', 'header', 'html', 'when', 'snippet'];

/** A mail as it looks, to be written in. */
export default function MailEditor({
  draft,
  handle,
  texts,
  isMarketing,
  person,
  isMailFirst = false,
  onLeave = () => {},
  why,
  frame,
  before,
  after,
}: MailEditorProps) {
  const root = useRef<HTMLDivElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const stage = useRef<HTMLDivElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  const panel = useRef<HTMLElement>(null);
  const brand = useLoadedBrand();
  const menu = useSignal<Menu | null>(null);
  const isLinking = useSignal(false);
  const isPreview = useSignal(false);
  const isAsked = useSignal(false);
  const variables = useVariables(isMarketing, person);
  const compiled = useCompiled(draft, person, isMarketing, frame);
  const next = useFocus();
  const focusFields = () => {
    isAsked.value = true;
    // The fields of a block that was just added are drawn first.
    next.after(() => firstField(panel.current)?.focus());
  };
  const onLink = () => {
    isLinking.value = true;
  };
  const onVariable = (near: Element) => {
    menu.value = { kind: 'variable', near: near.getBoundingClientRect() };
  };
  const { surface, write } = useSurface(place, draft, {
    isReadOnly: why !== null,
    isMarketing,
    values: variables.values,
    onAdd: (at, near) => {
      menu.value = { kind: 'block', near: near.getBoundingClientRect(), at };
    },
    onSlash: (near) => {
      menu.value = { kind: 'block', near };
    },
    onBraces: (near) => {
      menu.value = { kind: 'variable', near };
    },
    onLink,
    onTools: () => bar.current?.querySelector('button')?.focus(),
    onFields: focusFields,
    onLeave,
    onFiles: (files) => void addPictures(surface, files),
  });
  const show = (id: string) => {
    isPreview.value = false;
    // A surface that was hidden takes no focus before it is drawn.
    next.after(() => surface?.choose(id));
  };
  useLayoutEffect(() => {
    handle.current = { replace: ({ content, about }) => replaceWith(surface, content, about), show };
  });
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => takeBack(event, surface);
    root.current?.addEventListener('keydown', press);
    return () => root.current?.removeEventListener('keydown', press);
  }, [surface]);
  useLayoutEffect(() => {
    if (isMailFirst && document.activeElement?.matches('body, button')) surface?.focus();
  }, [surface]);
  useLayoutEffect(() => {
    if (place.current) drawBrand(place.current, brand);
  }, [brand]);
  // A footer may be in the layout, in a snippet, or in the mail around this part.
  const needsFooter = isMarketing && !frame?.part && !compiled.html.value?.includes('{{unsubscribe}}');
  const findings = allFindings(draft.value, compiled, variables, { isMarketing: needsFooter, brand });

  return (
    <BrandContext.Provider value={brand}>
      <div class={isPreview.value ? 'split mail-editor' : 'split open editing mail-editor'} ref={root}>
        <div class="body">
          {before}
          {surface && <Texts {...{ surface, texts, write, why }} />}
          <div class="row wrap">
            <Choose
              label="Show"
              value={isPreview.value ? 'preview' : 'write'}
              options={[
                { value: 'write', label: 'Write' },
                { value: 'preview', label: 'Preview' },
              ]}
              onChange={(value) => {
                isPreview.value = value === 'preview';
              }}
            />
            <span class="narrow-only">
              <Button isSmall onClick={focusFields}>
                Settings
              </Button>
            </span>
          </div>
          {isPreview.value && <Preview compiled={compiled} person={person} />}
          <div class={isPreview.value ? 'hidden-surface' : 'stack'}>
            {surface && why === null && (
              <Toolbar
                {...{ surface, onLink, onVariable }}
                onAdd={(near) => {
                  menu.value = { kind: 'block', near: near.getBoundingClientRect() };
                }}
              />
            )}
            <div ref={stage} class="mail-stage">
              <div ref={place} class="mail-paper" />
              {surface && why === null && <SelectionBar {...{ surface, stage, bar, write, onLink, onVariable }} />}
            </div>
          </div>
          <Findings findings={findings} onShow={show} />
          {after?.(compiled)}
          <p class="sr" role="status">
            {surface?.said.value}
          </p>
        </div>
        <aside
          ref={panel}
          class={isAsked.value ? 'drawer' : 'drawer unasked'}
          hidden={isPreview.value}
          aria-label="Settings"
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || event.defaultPrevented) return;
            // A dialog around the editor stays open.
            event.preventDefault();
            isAsked.value = false;
            surface?.focus();
          }}
        >
          {surface && (
            <Panel
              {...{ surface, write, why, isMarketing }}
              fields={variables.picks}
              refusals={compiled.refusals.value}
              onClose={() => {
                isAsked.value = false;
                surface.focus();
              }}
            />
          )}
        </aside>
        {menu.value && surface && (
          <Menus
            menu={menu.value}
            variables={variables}
            isLayout={frame?.part === 'layout'}
            onBlock={(type, at) => {
              menu.value = null;
              surface.focus();
              surface.run(addBlock(type, at));
              if (THINGS.includes(type)) focusFields();
            }}
            onVariable={(name) => {
              menu.value = null;
              surface.focus();
              surface.run(insertVariable(name));
            }}
            onSnippet={(name) => {
              menu.value = null;
              surface.focus();
              surface.run(addBlock('snippet', undefined, { name }));
            }}
            onClose={() => {
              menu.value = null;
              surface.focus();
            }}
          />
        )}
        {isLinking.value && surface && (
          <LinkDialog
            surface={surface}
            onClose={() => {
              isLinking.value = false;
              // The dialog gives the focus back to a button of the page first.
              next.after(() => surface.focus());
            }}
          />
        )}
      </div>
    </BrandContext.Provider>
  );
}

/** Moves the focus once the page is drawn with what changed, and before the next key: a browser may be late with its next picture. */
function useFocus(): { after: (move: () => unknown) => void } {
  const asked = useSignal<{ move: () => unknown } | null>(null);
  const now = asked.value;
  useLayoutEffect(() => void now?.move(), [now]);
  return {
    after: (move) => {
      asked.value = { move };
    },
  };
}

/** On a button too: the browser would take back what was typed elsewhere on the page. */
function takeBack(event: KeyboardEvent, surface: Surface | null): void {
  const key = event.key.toLowerCase();
  const isTurn = (event.ctrlKey || event.metaKey) && (key === 'z' || key === 'y');
  const target = event.target as HTMLElement;
  if (!isTurn || event.defaultPrevented || target.matches('input, textarea') || target.isContentEditable) return;
  event.preventDefault();
  surface?.run(key === 'y' || event.shiftKey ? redo : undo);
  surface?.focus();
}

function firstField(panel: Element | null): HTMLElement | null | undefined {
  return panel?.querySelector<HTMLElement>('.fields :is(input.in, select, textarea):enabled');
}

function replaceWith(surface: Surface | null, ...[content, about]: Parameters<typeof docOf>): void {
  if (surface) surface.dispatch(setMail(surface.state.peek(), docOf(content, about)));
}

async function addPictures(surface: Surface | null, files: readonly File[]): Promise<void> {
  for (const file of files) {
    try {
      const picture = await api.media.upload(file);
      surface?.run(addBlock('image', undefined, pictureFields({ type: 'image' }, picture)));
      toast(`Uploaded ${file.name}; describe it in words`, { kind: 'good' });
    } catch (error) {
      toastError(error);
    }
  }
}

function allFindings(
  { content }: Draft,
  { refusals, bytes }: CompiledMail,
  { names }: Variables,
  known: { isMarketing: boolean; brand: Brand | null },
): Finding[] {
  const refused = refusals.value.map((one) => {
    const { blockId } = one;
    return { blockId, title: nameIn(content, blockId), text: wordsOfRefusal(one), isBad: true };
  });
  return [...refused, ...findingsIn(content, { ...known, variables: names, bytes: bytes.value })];
}

function Texts({
  surface,
  texts,
  write,
  why,
}: {
  surface: Surface;
  texts: readonly TextField[];
  write: (tr: Transaction, field: string) => void;
  why: string | null;
}) {
  const about = surface.state.value.doc.attrs.about as Draft['about'];
  const form = useLinkedFields(about, {}, (name, text) =>
    write(setOfMail(surface.state.peek(), 'about', { ...about, [name]: text }), `mail ${name}`),
  );
  return (
    <div class="cols near">
      {texts.map(({ name, label, hint }) => (
        <div key={name} class="c4">
          <Field form={form} name={name} label={label} autocomplete="off" why={why} {...(hint && { hint })} />
        </div>
      ))}
    </div>
  );
}
