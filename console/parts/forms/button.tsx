import { useSignal } from '@preact/signals';
import type { ComponentChildren, TargetedPointerEvent } from 'preact';
import { useId } from 'preact/hooks';
import { can, whyNot } from '../../session.ts';
import { Icon, type IconName } from '../icon.tsx';
import { toast, toastError } from '../over/toast.tsx';

export interface ButtonProps {
  children?: ComponentChildren;
  /** first: the one primary button of a page. danger: quiet until it is pointed at; its text ends in `…` when it asks first. */
  kind?: 'first' | 'plain' | 'danger';
  icon?: IconName;
  isSmall?: boolean;
  /** For a button that shows its icon only, and where the text alone does not say about what. */
  label?: string;
  /** A link that looks like a button. */
  href?: string;
  /** Of a link to another program. */
  isNewTab?: boolean;
  download?: string | true;
  type?: 'button' | 'submit';
  /** While the promise is open the button is busy; its error becomes a toast. */
  onClick?: (event: MouseEvent) => unknown;
  /** The operation that it calls: those who may not call it see it disabled, with the reason. */
  operation?: string;
  /** Why it cannot be used now. It stays focusable, and says the reason when it is pressed. */
  why?: string | false | null | undefined;
  isBusy?: boolean;
  /** One key, shown in the button; the page listens for it. */
  keys?: string;
  isPressed?: boolean;
}

/** As far as a hand moves by itself. */
const STILL_PX = 16;
let began = { x: 0, y: 0 };

/** A press counts at the button where it began, although the page moves under it; one that is drawn away does not. */
const held = {
  onPointerDown({ currentTarget, pointerId, clientX, clientY }: TargetedPointerEvent<HTMLButtonElement>) {
    began = { x: clientX, y: clientY };
    currentTarget.setPointerCapture(pointerId);
  },
  onPointerMove({ currentTarget, pointerId, clientX, clientY }: TargetedPointerEvent<HTMLButtonElement>) {
    const moved = Math.hypot(clientX - began.x, clientY - began.y);
    if (moved > STILL_PX && currentTarget.hasPointerCapture(pointerId)) currentTarget.releasePointerCapture(pointerId);
  },
};

export function Button(props: ButtonProps) {
  const { children, kind, icon, isSmall, label, href, type = 'button', onClick, operation, isBusy, keys } = props;
  const busy = useSignal(false);
  const whyId = useId();
  const why = operation && !can(operation) ? whyNot() : props.why || null;
  const isWaiting = busy.value || isBusy === true;
  const classes = ['btn', kind, isSmall && 'small', icon && !children && 'icon'].filter(Boolean).join(' ');
  const inside = (
    <>
      {icon && <Icon name={icon} />}
      {children}
      {keys && <kbd class="wide-only">{keys}</kbd>}
    </>
  );
  if (href && !why)
    return (
      <a
        class={classes}
        href={href}
        aria-label={label}
        target={props.isNewTab ? '_blank' : undefined}
        rel={props.isNewTab ? 'noreferrer' : undefined}
        download={props.download}
        onClick={onClick}
      >
        {inside}
      </a>
    );

  async function press(event: MouseEvent): Promise<void> {
    if (why || isWaiting) {
      event.preventDefault();
      if (why) toast(why);
      return;
    }
    const work = onClick?.(event);
    if (!(work instanceof Promise)) return;
    busy.value = true;
    try {
      await work;
    } catch (error) {
      toastError(error);
    } finally {
      busy.value = false;
    }
  }

  return (
    <>
      <button
        class={classes}
        type={type}
        aria-label={label}
        aria-disabled={why || isWaiting ? true : undefined}
        aria-busy={isWaiting || undefined}
        aria-pressed={props.isPressed}
        aria-describedby={why ? whyId : undefined}
        title={why ?? undefined}
        {...held}
        onClick={press}
      >
        {inside}
      </button>
      {why && (
        <span id={whyId} class="sr">
          {why}
        </span>
      )}
    </>
  );
}
