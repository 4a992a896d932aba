import type { ComponentChildren } from 'preact';
import { EverpostError } from '../../../client/index.ts';
import { Button } from '../forms/button.tsx';
import { sentenceOf } from '../forms/form.ts';
import { Notice, SkeletonLines } from './notice.tsx';
import { isUnreachable, type Query } from './query.ts';

/** Skeleton, failure or content of a query. While it is loaded again the content stays. */
export function Loaded<T>({
  query,
  skeleton = <SkeletonLines />,
  children,
}: {
  query: Query<T>;
  skeleton?: ComponentChildren;
  children: (data: T) => ComponentChildren;
}) {
  const data = query.data.value;
  const failed = query.error.value;
  return (
    <>
      {failed !== null && <LoadFailure error={failed} hasOld={data !== null} onRetry={query.reload} />}
      {data === null
        ? failed === null && (
            <div aria-busy="true">
              <span class="sr" role="status">
                Loading
              </span>
              {skeleton}
            </div>
          )
        : children(data)}
    </>
  );
}

/** The failure of a query above a table, which draws its own skeleton. While it is loaded again the table stays. */
export function LoadedTable({ query, children }: { query: Query<unknown>; children: ComponentChildren }) {
  const hasOld = query.data.value !== null;
  const failed = query.error.value;
  return (
    <>
      {failed !== null && <LoadFailure error={failed} hasOld={hasOld} onRetry={query.reload} />}
      {(hasOld || failed === null) && children}
    </>
  );
}

/** Why something is not shown: not there, not allowed, not reachable, or broken; each with what to do. */
export function LoadFailure({
  error,
  hasOld,
  onRetry,
}: {
  error: unknown;
  /** Older data is still on the page. */
  hasOld?: boolean;
  onRetry: () => unknown;
}) {
  const { status, requestId } = error instanceof EverpostError ? error : { status: null, requestId: null };
  if (status === 403)
    return (
      <Notice kind="warn" title="You may not see this">
        <p>{sentenceOf(error)} An owner of the organization can change your role under Members.</p>
      </Notice>
    );
  if (status === 404)
    return (
      <Notice kind="warn" title="This is not here">
        <p>It was deleted, or the link is of another project. {sentenceOf(error)}</p>
      </Notice>
    );
  const retry = (
    <Button isSmall icon="refresh" onClick={onRetry}>
      Try again
    </Button>
  );
  if (isUnreachable(error))
    return (
      <Notice kind="bad" title={hasOld ? 'These figures are old' : 'This could not be loaded'} action={retry}>
        <p>The API cannot be reached. It is asked again by itself; nothing that you typed is lost.</p>
      </Notice>
    );
  return (
    <Notice kind="bad" title={hasOld ? 'This could not be loaded again' : 'This could not be loaded'} action={retry}>
      <p>
        {sentenceOf(error)}
        {requestId && (
          <>
            {' '}
            <span class="dim">
              Request <code>{requestId}</code>
            </span>
          </>
        )}
      </p>
    </Notice>
  );
}
