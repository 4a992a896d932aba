import type { Campaign, CreateCampaignBody } from '../../../../client/index.ts';
import { timezone } from '../../../locale.ts';
import { counted } from '../../../parts/data/format.ts';
import { isoTime, localTime } from '../../../parts/forms/local-time.ts';
import { tagsIn, textOfTags } from '../../../parts/forms/tags.ts';
import { type LocalFields, localBody, localOf, localWords } from './local.ts';
import { type Measuring, measuringBody, measuringOf } from './measuring.ts';
import { mailBody, mailOf, missingMail, type OwnMail } from './own-mail.ts';
import { missingVariants, type VariantFields, variantsBody, variantsOf } from './variants/given.ts';

/** The fields of the editor; texts and numbers stay as they were typed until they are sent. */
export interface Draft extends Measuring, LocalFields, VariantFields {
  name: string;
  subject: string;
  previewText: string;
  fromEmail: string;
  fromName: string;
  replyTo: string;
  /** Of a saved template, when no mail is written here. */
  templateId: string;
  mail: OwnMail | null;
  /** Where pictures are: behind links, or inside the mail. */
  inlinePictures: 'no' | 'yes';
  toLists: readonly string[];
  excludeLists: readonly string[];
  /** People of another campaign, until lists are chosen. */
  audience: Campaign['audience'];
  unsubscribeGroupId: string;
  /** As they are typed: 'season:winter, kind:letter'. */
  tags: string;
  when: 'immediate' | 'scheduled' | 'local' | 'gradual';
  scheduledAt: string;
  emailsPerDay: string;
  growth: string;
  timezone: string;
}

export const GLOBAL = 'GLOBAL_CONTACT_LIST';

export function draftOf(campaign: Campaign | null): Draft {
  if (!campaign)
    return {
      ...{
        name: '',
        subject: '',
        previewText: '',
        fromEmail: '',
        fromName: '',
        replyTo: '',
        templateId: '',
        mail: null,
        inlinePictures: 'no',
      },
      ...{
        toLists: [],
        excludeLists: [],
        audience: null,
        unsubscribeGroupId: '',
        tags: '',
        when: 'immediate',
        scheduledAt: '',
      },
      ...{ emailsPerDay: '1000', growth: '1.5x', timezone },
      ...localOf(null),
      ...measuringOf(null),
      ...variantsOf(null),
    };
  const { from, gradual, toLists, excludeLists, sendToGlobalList } = campaign;
  const lists = toLists.map(({ id }) => id);
  return {
    name: campaign.name,
    subject: campaign.subject,
    previewText: campaign.previewText,
    fromEmail: from.email,
    fromName: from.name,
    replyTo: campaign.replyTo,
    ...mailOf(campaign),
    inlinePictures: campaign.inlinePictures ? 'yes' : 'no',
    toLists: sendToGlobalList && !lists.includes(GLOBAL) ? [GLOBAL, ...lists] : lists,
    excludeLists: excludeLists.map(({ id }) => id),
    audience: campaign.audience,
    unsubscribeGroupId: campaign.unsubscribeGroupId ?? '',
    tags: textOfTags(campaign.tags),
    when: campaign.localTime ? 'local' : campaign.sendMode,
    scheduledAt: timeIn(campaign),
    emailsPerDay: String(gradual?.emailsPerDay ?? 1_000),
    growth: gradual?.growth ?? '1.5x',
    timezone: gradual?.timezone ?? timezone,
    ...localOf(campaign.localTime),
    ...measuringOf(campaign),
    ...variantsOf(campaign),
  };
}

/** Of a gradual campaign the begin of its plan, which is the time of the campaign where the plan has none. */
function timeIn({ gradual, scheduledAt, localTime: local }: Campaign): string {
  const at = gradual?.startAt ?? scheduledAt;
  return at && !local ? localTime(new Date(at)) : '';
}

/** Everything but the time; stays a draft. The interface keeps what a call leaves out, so that emptied fields are sent empty. */
export function contentOf(draft: Draft) {
  const { name, subject, previewText, fromEmail, fromName, replyTo, toLists, excludeLists } = draft;
  return {
    ...{ name, subject, previewText, replyTo },
    from: { email: fromEmail, name: fromName },
    ...mailBody(draft),
    inlinePictures: draft.inlinePictures === 'yes',
    toLists: toLists.filter((id) => id !== GLOBAL),
    excludeLists: [...excludeLists],
    sendToGlobalList: toLists.includes(GLOBAL),
    unsubscribeGroupId: draft.unsubscribeGroupId || null,
    tags: tagsIn(draft.tags),
    ...measuringBody(draft),
    ...variantsBody(draft),
  };
}

/** With the time, for keeping or for publishing. */
export function bodyOf(draft: Draft, publish: boolean): CreateCampaignBody {
  return { ...contentOf(draft), publish, ...timeOf(draft, publish) };
}

/** How the interface names the fields that have another name here. */
export const wireNames = {
  'from/email': 'fromEmail',
  'from/name': 'fromName',
  'gradual/emailsPerDay': 'emailsPerDay',
  'gradual/growth': 'growth',
  'gradual/timezone': 'timezone',
  'gradual/startAt': 'scheduledAt',
} as const;

/** The time at which all would get it has passed: the interface does not take it. */
function isOver(draft: Draft): boolean {
  const { when, scheduledAt } = draft;
  if (when === 'scheduled') return isPast(scheduledAt);
  const local = when === 'local' ? localBody(draft) : null;
  // The last zone to have it.
  return local !== null && new Date(`${local.date}T${local.time}-12:00`) < new Date();
}

function isPast(scheduledAt: string): boolean {
  return scheduledAt !== '' && new Date(scheduledAt) < new Date();
}

/** Of the part that a save leaves out, since the interface does not take it as it is; '': all is saved. */
export function unsavedWords(draft: Draft): '' | ', without its variants' | ', without its time' {
  if (missingVariants(draft) !== null) return ', without its variants';
  return isOver(draft) || (draft.when === 'local' && localBody(draft) === null) ? ', without its time' : '';
}

function timeOf(draft: Draft, publish: boolean): Partial<CreateCampaignBody> {
  const { when, scheduledAt, emailsPerDay, growth, timezone } = draft;
  if (!publish && isOver(draft)) return {};
  if (when === 'local') return { sendMode: 'scheduled', localTime: localBody(draft) };
  const at = scheduledAt === '' ? null : isoTime(scheduledAt);
  const localTime = null;
  if (when === 'scheduled') return { sendMode: 'scheduled', sendNow: false, localTime, scheduledAt: at };
  if (when === 'gradual')
    return {
      sendMode: 'gradual',
      sendNow: false,
      localTime,
      // The begin is kept in the plan alone.
      scheduledAt: null,
      gradual: {
        emailsPerDay: Number(emailsPerDay),
        growth: growth as NonNullable<Campaign['gradual']>['growth'],
        timezone,
        startAt: at,
      },
    };
  return { sendMode: 'immediate', localTime, ...(publish && { sendNow: true }) };
}

/** For the question before it is published; '' where no time is chosen. */
export function atWords(draft: Draft): string {
  const local = draft.when === 'local' ? localBody(draft) : null;
  if (local) return ` at ${localWords(local)}`;
  return draft.when === 'scheduled' ? ` at ${draft.scheduledAt.replace('T', ' ')}` : '';
}

const factors: Record<string, number> = { fixed: 1, '1.25x': 1.25, '1.5x': 1.5, '1.75x': 1.75, '2x': 2 };
const DAYS_MAX = 366;

/** The people of each day until all are reached: day n has floor(emailsPerDay x growth^(n-1)), as docs say. */
export function planOf({ emailsPerDay, growth }: Pick<Draft, 'emailsPerDay' | 'growth'>, people: number): number[] {
  const first = Number(emailsPerDay);
  if (!Number.isInteger(first) || first < 1) return [];
  const days: number[] = [];
  for (let left = people; left > 0 && days.length < DAYS_MAX; ) {
    const today = Math.min(left, Math.floor(first * (factors[growth] ?? 1) ** days.length));
    days.push(today);
    left -= today;
  }
  return days;
}

export interface Part {
  name: string;
  /** A sentence that says what is missing; null when it is ready. */
  missing: string | null;
  note: string;
}

/** Whether it says who gets the mail. */
export function isAddressed({ toLists, audience }: Pick<Draft, 'toLists' | 'audience'>): boolean {
  return toLists.length > 0 || audience !== null;
}

const NOTES = { immediate: 'At once', local: '', gradual: 'Gradually' } as const;

/** The parts that publishing needs, with their faults. */
export function partsOf(
  draft: Draft,
  { willReceive, isFailed }: { willReceive: number | null; isFailed: boolean },
  groupName: string | null,
): Part[] {
  const { subject, fromEmail, when, scheduledAt, emailsPerDay } = draft;
  const people =
    willReceive !== null ? counted(willReceive, 'person', 'people') : isFailed ? 'not counted' : 'counting';
  const local = when === 'local' ? localBody(draft) : null;
  return [
    {
      name: 'Audience',
      note: people,
      missing: !isAddressed(draft) ? 'Choose who gets it' : willReceive === 0 ? 'Nobody would get it' : null,
    },
    {
      name: 'Content',
      note: subject,
      missing: subject.trim() === '' ? 'Write a subject' : missingMail(draft),
    },
    ...(draft.variants === '0'
      ? []
      : [{ name: 'Variants', note: `${draft.variants} mails`, missing: missingVariants(draft) }]),
    { name: 'Sender', note: fromEmail, missing: fromEmail === '' ? 'Say who it is from' : null },
    {
      name: 'Time',
      note: local ? localWords(local) : { ...NOTES, scheduled: scheduledAt.replace('T', ' ') }[when],
      missing:
        (when === 'scheduled' && scheduledAt === '') || (when === 'local' && !local)
          ? 'Choose a time'
          : isOver(draft) || (when === 'gradual' && isPast(scheduledAt))
            ? 'This time has passed'
            : when === 'gradual' && !(Number(emailsPerDay) >= 1)
              ? 'Say how many on the first day'
              : null,
    },
    { name: 'Unsubscribe', note: groupName ?? 'Everything of the project', missing: null },
  ];
}
