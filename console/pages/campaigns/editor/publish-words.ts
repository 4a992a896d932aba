import { people } from '../../../parts/data/format.ts';
import { atWords, type Draft } from './draft.ts';
import { planOf, planWords } from './variants/words.ts';

/** The question before a campaign is published, with the number of people. */
export function publishQuestion(draft: Draft, willReceive: number) {
  const plan = planOf(draft, willReceive);
  const { holdOut = 0, each = [] } = plan ?? {};
  const reached = `${holdOut > 0 ? 'about ' : ''}${people(willReceive - holdOut)}`;
  const at = draft.when === 'gradual' ? ', some each day' : atWords(draft) || ', beginning at once';
  const who =
    plan && (each.length > 0 || holdOut > 0)
      ? `${planWords(draft, plan)} It goes out${at}.`
      : `${reached} ${willReceive - holdOut === 1 ? 'gets' : 'get'} it${at}.`;
  return {
    title: `Publish ${draft.name || 'the campaign'}`,
    text: `${who} You can pause it at any time; what has left cannot be called back.`,
    action: draft.when === 'immediate' ? `Send to ${reached}` : `Publish for ${reached}`,
  };
}

/** The question before a scheduled campaign, as it is saved, becomes a draft. */
export function takeBackQuestion(saved: Draft) {
  return {
    title: `Take ${saved.name} back to a draft`,
    text: `It does not go out${atWords(saved)} unless it is published again. To keep its time, press Publish instead.`,
    action: 'Take it back and save',
    isDangerous: true,
  };
}
