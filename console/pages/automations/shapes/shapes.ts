import { basket } from './basket.ts';
import { birthday } from './birthday.ts';
import { blank } from './blank.ts';
import { course } from './course.ts';
import { form } from './form.ts';
import type { Shape } from './parts.ts';
import { reConsent } from './re-consent.ts';
import { reEngage } from './re-engage.ts';
import { renewal } from './renewal.ts';
import { welcome } from './welcome.ts';
import { winBack } from './win-back.ts';

/** Where an automation may begin, in the order of the dialog. Each is complete; everything can be changed afterwards. */
export const shapes: Readonly<Record<string, Shape>> = {
  welcome,
  course,
  form,
  basket,
  winBack,
  birthday,
  renewal,
  reEngage,
  reConsent,
  blank,
};
