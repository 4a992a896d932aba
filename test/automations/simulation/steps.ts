import { email, filter, wait } from '../support.ts';
import type { Case, Item, Pair } from './cases.ts';

const MINUTE = 60_000;
/** The link that steps ask for; any other is as good as another. */
export const OFFER = 'https://example.com/offer';

/** Named by entries. */
export interface Names {
  listId: string;
  formId: string;
  /** That people write to. */
  address: string;
}

export function definition(one: Case, { listId, formId, address }: Names) {
  const entries: Record<string, object> = {
    created: { type: 'contact_created' },
    list: { type: 'contact_added_to_list', listId },
    left: { type: 'list_left', listId },
    matches: {
      type: 'contact_property_matches_with',
      filterCriteria: filter('contactProperties.plan', 'equals', 'pro'),
    },
    changes: { type: 'contact_property_changes_from_to', property: 'plan', toValue: 'pro' },
    form: { type: 'form_submitted', formId },
    mail: { type: 'email_received', address },
    date: { type: 'date_reached', property: 'contactProperties.due_on', time: '10:00', yearly: one.isDrafted },
    event: {
      type: 'event_trigger',
      eventName: 'bought',
      filterCriteria: filter('event.properties.amount', 'greater_than', 3),
    },
  };
  return {
    name: 'Random',
    entryCriteria: entries[one.entry],
    reentry: one.reentry,
    exitCriteria: { type: one.exits ? 'entry_criteria_no_longer_met' : 'workflow_complete' },
    steps: stepsOf(one, listId),
  };
}

function stepsOf(
  { pairs, update, ask, split, branches, elseGoesOn, goals: [first, last], entry }: Case,
  listId: string,
) {
  const steps: object[] = pairsOf(pairs, 'main', null);
  const mail = `main${pairs.length - 1}-mail`;
  if (first) steps.push(goalOf(first, 'goal'));
  if (update) steps.push({ type: 'update_contact', stepId: 'update', update: changesOf(update, listId) });
  const hasTail = branches.length > 0 && (elseGoesOn || branches.some(({ merges }) => merges));
  if (ask) steps.push(askingOf(ask, hasTail && ask.skipsOver ? 'tail-wait' : null));
  if (split) steps.push(...sharesOf(split, mail, branches.length > 0 ? 'choice' : 'end'));
  if (split && branches.length === 0) steps.push({ type: 'exit', stepId: 'end' });
  if (branches.length === 0) return steps;
  const choice = {
    type: 'branch',
    stepId: 'choice',
    nextStepId: elseGoesOn ? 'tail-wait' : null,
    branches: branches.map(({ plan, event, all, merges }, n) => ({
      branchId: `b${n}`,
      triggerType: event && entry === 'event' ? 'event_property' : 'contact_property_matches_with',
      filterCriteria:
        event && entry === 'event'
          ? filter('event.properties.amount', 'greater_than', 6)
          : plan === ''
            ? filter('contactProperties.plan', 'is_empty')
            : filter('contactProperties.plan', 'equals', plan),
      appliesTo: all ? 'all_branch_steps' : 'branch_entry',
      nextStepId: `b${n}p0-wait`,
      mergeStepId: merges ? 'tail-wait' : null,
    })),
  };
  const within = branches.flatMap((branch, n) => {
    const steps: object[] = pairsOf(branch.pairs, `b${n}p`, mail);
    if (branch.leaves && !branch.merges) steps.push({ type: 'exit', stepId: `b${n}-exit` });
    return steps.map((step) => ({ ...step, parentBranchStepId: 'choice', parentBranchId: `b${n}` }));
  });
  const tail: object[] = hasTail
    ? pairOf({ ...TAIL, checks: [true, true] }, 'tail', { following: null, mail: null })
    : [];
  if (hasTail && last) tail.push(goalOf(last, 'last-goal'));
  return [...steps, choice, ...within, ...tail];
}

const TAIL = { value: 1, unit: 'hours', until: null, event: null };

function sharesOf({ share, leaves, pair }: NonNullable<Case['split']>, mail: string, nextStepId: string): object[] {
  const shares = [
    { branchId: 'first', label: 'First', share },
    { branchId: 'second', label: 'Second', share: 100 - share },
  ];
  const within = (branchId: string) => ({ parentBranchStepId: 'shares', parentBranchId: branchId });
  const first = pairOf(pair, 'share', { following: null, mail }).map((step) => ({ ...step, ...within('first') }));
  const second = leaves ? [{ type: 'exit', stepId: 'share-exit', ...within('second') }] : [];
  return [{ type: 'split', stepId: 'shares', shares, nextStepId }, ...first, ...second];
}

interface Around {
  /** The wait of the next pair. */
  following: string | null;
  /** The mail before this pair on the way to it. */
  mail: string | null;
}

function pairsOf(pairs: Pair[], name: string, mail: string | null): object[] {
  return pairs.flatMap((one, n) =>
    pairOf(one, `${name}${n}`, {
      following: n + 1 < pairs.length ? `${name}${n + 1}-wait` : null,
      mail: n === 0 ? mail : `${name}${n - 1}-mail`,
    }),
  );
}

function pairOf(pair: Pair, name: string, around: Around): object[] {
  const stepId = `${name}-wait`;
  const own = { stepId, checkExitCriteria: pair.checks[0] };
  return [{ ...waitOf(pair, around), ...own }, email(`${name}-mail`, { checkExitCriteria: pair.checks[1] })];
}

function waitOf({ value, unit, until, event }: Pair, { following, mail }: Around): object {
  if (event) {
    const timeout = { value, unit };
    const { act, since, filters } = event;
    const waitEvent =
      act && mail
        ? {
            eventName: `email.${act}`,
            emailStepId: mail,
            timeout,
            ...(act === 'clicked' && filters ? { url: OFFER } : {}),
          }
        : { eventName: 'bought', filterCriteria: filters ? moreThan(4) : {}, timeout, since };
    return { type: 'wait_event', waitEvent, timeoutStepId: event.skips ? following : null };
  }
  return until ? { type: 'wait_until', until } : wait(value, unit);
}

function goalOf({ plan, isEvent }: { plan: string; isEvent: boolean }, stepId: string): object {
  if (isEvent) return { type: 'goal', stepId, eventName: 'bought', filterCriteria: moreThan(7) };
  return { type: 'goal', stepId, filterCriteria: filter('contactProperties.plan', 'equals', plan || 'team') };
}

function moreThan(amount: number): object {
  return filter('event.properties.amount', 'greater_than', amount);
}

function askingOf({ hours }: NonNullable<Case['ask']>, failureStepId: string | null) {
  const webhook = { url: 'https://hooks.example.com/', wait: true, timeout: { value: hours, unit: 'hours' } };
  return { type: 'webhook', stepId: 'ask', webhook, failureStepId };
}

/** The JSON of the webhook; null: it never takes the event. */
export function answerOf({ ask }: Case): { contactProperties?: object } | null {
  if (!ask || ask.answers === 'never') return null;
  if (ask.answers === 'nothing') return {};
  return {
    contactProperties: ask.answers === 'plan' ? { plan: ask.plan || null } : { plan: 'pro', due_on: 'nonsense' },
  };
}

export function firstContact({ contact: { plan, joined, home, due } }: Case, fromMs: number, listId: string) {
  const contactProperties = {
    ...(plan && { plan }),
    ...(home && { home }),
    ...(due !== null && { due_on: dateAt(due, fromMs) }),
  };
  return { contactProperties, listIds: joined ? [listId] : [] };
}

/** The properties that the item changes; null: it changes something else. */
export function propertiesOf(item: Item, fromMs: number): object | null {
  if (item.kind === 'plan') return { plan: item.plan || null };
  if (item.kind === 'home') return { home: item.home };
  return item.kind === 'due' ? { due_on: item.due === null ? null : dateAt(item.due, fromMs) } : null;
}

function dateAt(minutes: number, fromMs: number): string {
  return new Date(fromMs + minutes * MINUTE).toISOString();
}

/** The plan by way of a placeholder. */
function changesOf({ plan, list }: NonNullable<Case['update']>, listId: string) {
  return {
    contactProperties: {
      wish: plan,
      plan: plan === '' ? null : `{{default "" "${plan}"}}`,
      last: '{{contactProperties.plan}}',
    },
    ...(list === 'join' ? { addListIds: [listId] } : {}),
    ...(list === 'leave' ? { removeListIds: [listId] } : {}),
  };
}

export function scenario(one: Case, fromMs: number, { listId, formId, address }: Names) {
  const at = ({ minute: n }: Item) => new Date(fromMs + n * MINUTE).toISOString();
  const changes = one.items.flatMap((item): object[] => {
    const contactProperties = propertiesOf(item, fromMs);
    if (contactProperties) return [{ at: at(item), contactProperties }];
    if (item.kind === 'join') return [{ at: at(item), listIds: [listId] }];
    if (item.kind === 'leave') return [{ at: at(item), removeListIds: [listId] }];
    if (item.kind === 'unsubscribe') return [{ at: at(item), unsubscribed: true }];
    return item.kind === 'delete' ? [{ at: at(item), deleted: true }] : [];
  });
  const events = one.items.flatMap((item) =>
    item.kind === 'event' ? [{ at: at(item), eventName: 'bought', properties: { amount: item.amount } }] : [],
  );
  const acts = one.items.flatMap((item): object[] => {
    if (item.kind === 'submit') return [{ at: at(item), kind: 'submits', formId }];
    if (item.kind === 'write') return [{ at: at(item), kind: 'writes', address }];
    if (item.kind !== 'act') return [];
    return [{ at: at(item), kind: item.act, ...(item.act === 'clicks' ? { url: urlOf(item) } : {}) }];
  });
  const answers = one.ask ? { ask: answerOf(one) ?? { status: 500 } } : {};
  const contact = firstContact(one, fromMs, listId);
  return { from: new Date(fromMs).toISOString(), contact, changes, events, acts, answers };
}

export function urlOf({ isOffer }: { isOffer: boolean }): string {
  return isOffer ? OFFER : 'https://example.com/else';
}
