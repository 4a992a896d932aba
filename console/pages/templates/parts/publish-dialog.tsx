import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { BrandPreview, Republication, RepublishBody } from '../../../../client/index.ts';
import { api } from '../../../api.ts';
import { ProgressBar } from '../../../parts/data/bars.tsx';
import { Button } from '../../../parts/forms/button.tsx';
import { sentenceOf } from '../../../parts/forms/form.ts';
import { Dialog } from '../../../parts/over/dialog.tsx';
import { Loaded } from '../../../parts/page/loaded.tsx';
import { Notice } from '../../../parts/page/notice.tsx';
import { useQuery } from '../../../parts/page/query.ts';
import { to } from '../../../router.ts';
import { can } from '../../../session.ts';
import { OpenIt, wordsOfMessage } from '../refused.tsx';

/** As many are compared; where there are more, all are published again. */
const COMPARED_MAX = 100;
const LOOK_EVERY_MS = 700;

interface Props {
  title: string;
  /** The templates that the change touches. */
  touched: (signal: AbortSignal) => PromiseLike<BrandPreview>;
  /** Names all of them, where there are more than are compared. */
  all: RepublishBody;
  /** Stores the change, before the templates are published with it. */
  store: () => PromiseLike<unknown>;
  onPublished: () => PromiseLike<unknown>;
  /** The page says why the change was not stored; left out: the dialog does. */
  onRefused?: () => void;
  onClose: () => void;
}

/** Publishes a layout, a snippet or a brand, and the chosen ones of the templates that it changes. */
export function PublishDialog({ title, touched: load, all, store, onPublished, onRefused, onClose }: Props) {
  const touched = useQuery(load);
  const left = useSignal<ReadonlySet<string>>(new Set());
  const job = useSignal<Republication | null>(null);
  const isBusy = useSignal(false);
  const failure = useSignal<string | null>(null);
  const isStored = useRef(false);
  const { templates = [], total = 0 } = touched.data.value ?? {};
  const hasMore = total >= COMPARED_MAX;
  const chosen = templates.filter(({ templateId }) => !left.value.has(templateId));

  async function publish(): Promise<void> {
    isBusy.value = true;
    failure.value = null;
    try {
      if (!isStored.current) await store();
      isStored.current = true;
      const body = hasMore ? all : { templateIds: chosen.map(({ templateId }) => templateId) };
      if (hasMore || chosen.length > 0) job.value = await api.templates.republish(body);
      await onPublished();
      if (!job.peek()) onClose();
    } catch (error) {
      failure.value = wordsOfMessage(sentenceOf(error));
      if (!isStored.current) onRefused?.();
    } finally {
      isBusy.value = false;
    }
  }
  useProgress(job);
  const close = () => {
    if (!isBusy.peek()) onClose();
  };

  return (
    <Dialog
      title={title}
      onClose={close}
      onSubmit={() => (job.peek() ? onClose() : void publish())}
      footer={
        job.value ? (
          <Button kind="first" type="submit">
            {job.value.completedAt ? 'Close' : 'Close; it goes on'}
          </Button>
        ) : (
          <>
            <Button why={isBusy.value && 'Wait for the answer.'} onClick={close}>
              Not now
            </Button>
            <Button kind="first" type="submit" isBusy={isBusy.value} why={touched.data.value === null && 'A moment.'}>
              {chosen.length === 0
                ? 'Publish'
                : hasMore
                  ? 'Publish, with all templates'
                  : `Publish, with ${words(chosen.length)}`}
            </Button>
          </>
        )
      }
    >
      {failure.value && <Notice kind="bad" title={failure.value} />}
      {job.value ? (
        <Progress job={job.value} names={new Map(templates.map((one) => [one.templateId, one.templateName]))} />
      ) : (
        <Loaded query={touched}>
          {() =>
            templates.length === 0 ? (
              <p>No published mail changes. Templates that are saved from now on have it.</p>
            ) : (
              <>
                <p>
                  {hasMore
                    ? 'More than a hundred templates have it. All of them are published again as they are, with the new version.'
                    : 'These mails change. The chosen ones are published again as they are, with the new version; drafts of them stay.'}
                </p>
                <ul class="plain stack tight">
                  {templates.map(({ templateId, templateName }) => (
                    <li key={templateId}>
                      <label>
                        <input
                          type="checkbox"
                          checked={hasMore || !left.value.has(templateId)}
                          disabled={hasMore || !can('templates.republish')}
                          onChange={({ currentTarget: { checked } }) => {
                            const next = new Set(left.peek());
                            if (checked) next.delete(templateId);
                            else next.add(templateId);
                            left.value = next;
                          }}
                        />{' '}
                        {templateName}
                      </label>
                    </li>
                  ))}
                </ul>
              </>
            )
          }
        </Loaded>
      )}
    </Dialog>
  );
}

function useProgress(job: ReturnType<typeof useSignal<Republication | null>>): void {
  const id = job.value?.id;
  useEffect(() => {
    if (!id) return;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      try {
        job.value = await api.templates.republication(id, { signal: abort.signal });
      } catch {
        // The next look may succeed, and the job does not wait for it.
      }
      if (!abort.signal.aborted && !job.peek()?.completedAt) timer = setTimeout(look, LOOK_EVERY_MS);
    };
    timer = setTimeout(look, LOOK_EVERY_MS);
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [id]);
}

function Progress({ job, names }: { job: Republication; names: ReadonlyMap<string, string> }) {
  const { total, pending, published, unchanged, failed, failures, completedAt } = job;
  const done = total - pending;
  const also = [unchanged > 0 && `${unchanged} the same`, failed > 0 && `${failed} refused`].filter(Boolean);
  return (
    <div class="stack" role="status">
      <p>
        {completedAt ? 'Done' : 'Publishing'}: {done} of {words(total)}, {published} with a new version
        {also.map((one) => `, ${one}`).join('')}.
      </p>
      <ProgressBar
        label="Templates"
        parts={[
          { label: 'Published', value: published + unchanged, fill: 'good' },
          { label: 'Refused', value: failed, fill: 'bad' },
        ]}
        all={total}
        done={done}
        text={`${done} of ${total}`}
      />
      {failures.map(({ templateId, message }) => (
        <Notice
          key={templateId}
          kind="warn"
          title={names.get(templateId) ?? 'A template'}
          action={<OpenIt title={names.get(templateId) ?? templateId} href={to(`/templates/${templateId}`)} />}
        >
          {wordsOfMessage(message)}
        </Notice>
      ))}
    </div>
  );
}

function words(templates: number): string {
  return templates === 1 ? '1 template' : `${templates} templates`;
}
