import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from '../icon.tsx';

/** A problem, its meaning, and the one thing to do. */
export function Notice({
  kind = 'plain',
  title,
  children,
  action,
}: {
  kind?: 'plain' | 'warn' | 'bad';
  title: string;
  children?: ComponentChildren;
  action?: ComponentChildren;
}) {
  return (
    <div class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
      <Icon name="alert" />
      <div>
        <p class="strong">{title}</p>
        {children && <div class="sub">{children}</div>}
      </div>
      {action}
    </div>
  );
}

/** A list of problems, each with its sentence and one button. */
export function Notices({ children }: { children: ComponentChildren }) {
  return <ul class="notices">{children}</ul>;
}

export function NoticeRow({
  kind,
  icon,
  title,
  children,
  action,
}: {
  kind: 'bad' | 'warn' | 'good';
  icon: IconName;
  title: string;
  children?: ComponentChildren;
  action?: ComponentChildren;
}) {
  return (
    <li>
      <span class={`t-${kind}`}>
        <Icon name={icon} />
      </span>
      <div>
        <p class="strong">{title}</p>
        {children && <p class="sub small">{children}</p>}
      </div>
      {action ?? <span />}
    </li>
  );
}

/** No entries yet: what that means, what to do, and one button. */
export function Empty({
  title,
  children,
  action,
}: {
  title: string;
  children?: ComponentChildren;
  action?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <p class="strong">{title}</p>
      {children && <p class="sub">{children}</p>}
      {action && <p class="row wrap">{action}</p>}
    </div>
  );
}

/** A grey line in place of a text that is on its way. */
export function Skeleton({ width = 120 }: { width?: number }) {
  return <svg class="skeleton" width={width} aria-hidden="true" />;
}

/** Lines for a part of a page whose form is not known better. */
export function SkeletonLines({ count = 4 }: { count?: number }) {
  return (
    <div class="stack" aria-hidden="true">
      {Array.from({ length: count }, (_, index) => (
        <Skeleton key={index} width={260 - ((index * 67) % 140)} />
      ))}
    </div>
  );
}
