import { OF_NUMBERS, OF_TIMES } from '../../locale.ts';

/** Numbers with commas, a space before the unit, times of today by the clock and others by their day. */
const whole = new Intl.NumberFormat(OF_NUMBERS, { maximumFractionDigits: 0 });
const clock = new Intl.DateTimeFormat(OF_TIMES, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const minute = new Intl.DateTimeFormat(OF_TIMES, { hour: '2-digit', minute: '2-digit' });
const dayOfYear = new Intl.DateTimeFormat(OF_TIMES, { day: 'numeric', month: 'short' });
const dayAndYear = new Intl.DateTimeFormat(OF_TIMES, { day: 'numeric', month: 'short', year: 'numeric' });
const ofWeek = new Intl.DateTimeFormat(OF_TIMES, { weekday: 'short' });
const full = new Intl.DateTimeFormat(OF_TIMES, { dateStyle: 'full', timeStyle: 'long' });

export type At = string | number | Date;

/** 1,042,310 */
export function count(n: number): string {
  return whole.format(n);
}

/** '1 person', '2,611 people'. */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

export function people(n: number): string {
  return counted(n, 'person', 'people');
}

/** '61.0 %' of a part; an en dash of nothing. */
export function percent(part: number, all: number, digits = 1): string {
  if (all === 0) return '–';
  return `${new Intl.NumberFormat(OF_NUMBERS, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format((part / all) * 100)} %`;
}

/** '412 / s', and '0.4 / s' below ten. */
export function perSecond(n: number): string {
  return `${n !== 0 && n < 10 ? n.toFixed(1) : count(n)} / s`;
}

/** 12,4 MB as '12.4 MB'. */
export function bytes(n: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const step = n < 1_000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(n) / 3));
  const value = n / 1_000 ** step;
  return `${step === 0 || value >= 100 ? count(value) : value.toFixed(1)} ${units[step]}`;
}

/** '84 ms', '2.1 s', '3 min 55 s', '4 h 10 min', '6 days'. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return withRest(seconds, 60, 'min', 's');
  if (seconds < 2 * 86_400) return withRest(Math.round(seconds / 60), 60, 'h', 'min');
  return `${Math.round(seconds / 86_400)} days`;
}

function withRest(all: number, unit: number, large: string, small: string): string {
  const rest = all % unit;
  return rest === 0 ? `${all / unit} ${large}` : `${Math.floor(all / unit)} ${large} ${rest} ${small}`;
}

/** '14:08:19' of today, '22 Nov, 14:06' of this year, '3 Mar 2024' of others. */
export function moment(at: At, now: Date = new Date()): string {
  const date = new Date(at);
  if (date.toDateString() === now.toDateString()) return clock.format(date);
  if (date.getFullYear() === now.getFullYear()) return `${dayOfYear.format(date)}, ${minute.format(date)}`;
  return dayAndYear.format(date);
}

/** '22 Nov' */
export function dayWithoutYear(at: At): string {
  return dayOfYear.format(new Date(at));
}

/** '14:12' */
export function hour(at: At): string {
  return minute.format(new Date(at));
}

/** 'Mon' */
export function dayOfWeek(at: At): string {
  return ofWeek.format(new Date(at));
}

/** 'Mon 14:12' */
export function hourOfDay(at: At): string {
  return `${dayOfWeek(at)} ${hour(at)}`;
}

/** '22 Nov', with its year when that is another one. */
export function day(at: At, now: Date = new Date()): string {
  const date = new Date(at);
  return (date.getFullYear() === now.getFullYear() ? dayOfYear : dayAndYear).format(date);
}

/** 'Mon 30 Nov, 09:00' */
export function weekday(at: At, now: Date = new Date()): string {
  const date = new Date(at);
  return `${dayOfWeek(date)} ${day(date, now)}, ${minute.format(date)}`;
}

/** With weekday and time zone, for a tooltip. */
export function exactly(at: At): string {
  return full.format(new Date(at));
}
