import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { html } from '@codemirror/lang-html';
import { bracketMatching, foldGutter, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { Annotation, EditorState } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** Line from 1, column from 0, as the interface counts them. */
export interface Fault {
  line: number;
  column: number;
  message: string;
}

interface Cursor {
  anchor: number;
  head: number;
}

export interface Opened {
  setText(text: string): void;
  setFaults(faults: readonly Fault[]): void;
  insert(text: string): void;
  goTo(place: Pick<Fault, 'line' | 'column'>): void;
  close(): void;
}

/** Marks a change that came from outside: `onChange` does not report it. */
const fromOutside = Annotation.define<true>();

/** Classes instead of colours: the style sheet has both themes. */
const colours = HighlightStyle.define([
  { tag: [tags.tagName, tags.angleBracket], class: 'hl-tag' },
  { tag: tags.attributeName, class: 'hl-name' },
  { tag: [tags.attributeValue, tags.string], class: 'hl-value' },
  { tag: tags.comment, class: 'hl-comment' },
]);

/** Only this file names CodeMirror, so that its 120 kB are a script of their own. */
export function openEditor(
  parent: HTMLElement,
  {
    label,
    text,
    cursor,
    isReadOnly,
    onChange,
    snippets,
  }: {
    label: string;
    text: string;
    /** The selection in the field that it replaces; null: the field had no focus. */
    cursor: Cursor | null;
    isReadOnly: boolean;
    onChange: (text: string) => void;
    /** The names that `{{>` offers. */
    snippets: () => Promise<readonly string[]>;
  },
): Opened {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      ...(cursor ? { selection: cursor } : {}),
      extensions: [
        EditorView.cspNonce.of(nonce),
        lineNumbers(),
        foldGutter(),
        lintGutter(),
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        highlightSelectionMatches(),
        html(),
        autocompletion({ override: [(context) => snippetsAt(context, snippets)], icons: false, interactionDelay: 0 }),
        syntaxHighlighting(colours),
        EditorView.lineWrapping,
        EditorState.readOnly.of(isReadOnly),
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        // Escape, then Tab leaves the editor.
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, indentWithTab]),
        EditorView.updateListener.of((update) => {
          const isTyped = !update.transactions.some((transaction) => transaction.annotation(fromOutside));
          if (update.docChanged && isTyped) onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  if (cursor) view.focus();
  return {
    setText(next) {
      const { doc } = view.state;
      if (next === doc.toString()) return;
      view.dispatch({ changes: { from: 0, to: doc.length, insert: next }, annotations: fromOutside.of(true) });
    },
    setFaults(faults) {
      view.dispatch(
        setDiagnostics(
          view.state,
          faults.map((fault) => diagnosticOf(view.state, fault)),
        ),
      );
    },
    insert(piece) {
      view.dispatch(view.state.replaceSelection(piece));
      view.focus();
    },
    goTo({ line, column }) {
      const { from, to } = view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines));
      view.dispatch({ selection: { anchor: Math.min(from + column, to) }, scrollIntoView: true });
      view.focus();
    },
    close: () => view.destroy(),
  };
}

/** Of `{{> fo`: the names, which take the place of the whole and of the braces that were closed by themselves. */
async function snippetsAt(
  context: CompletionContext,
  snippets: () => Promise<readonly string[]>,
): Promise<CompletionResult | null> {
  const typed = context.matchBefore(/\{\{>\s*[\w-]*/);
  if (!typed) return null;
  // Without them a name is typed as ever.
  const names = await snippets().catch(() => []);
  const from = context.pos - /[\w-]*$/.exec(typed.text)![0].length;
  return { from, options: names.map((name) => snippetAt(name, typed.from)), validFor: /^[\w-]*$/ };
}

function snippetAt(label: string, start: number): Completion {
  return {
    label,
    apply(view, _, __, to) {
      const end = to + /^\s*\}{0,2}/.exec(view.state.sliceDoc(to, to + 8))![0].length;
      const insert = `{{> ${label}}}`;
      view.dispatch({
        changes: { from: start, to: end, insert },
        selection: { anchor: start + insert.length },
        userEvent: 'input.complete',
      });
    },
  };
}

function diagnosticOf({ doc }: EditorState, { line, column, message }: Fault): Diagnostic {
  const { from, to } = doc.line(Math.min(Math.max(1, line), doc.lines));
  const at = Math.min(from + column, to);
  return { from: at, to: Math.max(at, to), severity: 'error', message };
}
