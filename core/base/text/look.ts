import type { Project } from '../model.ts';
import { readableOn, textOn } from './colours.ts';

/** How pages and mails of a project look. */
export interface Look {
  /** null: the page belongs to no project. */
  name: string | null;
  logoUrl: string | null;
  postalAddress: string | null;
  /** Of buttons, in both themes. */
  button: string;
  onButton: string;
  /** Of links, outlines and quiet buttons: readable on the papers of each theme. */
  accent: { light: string; dark: string };
}

/** The grounds with the least contrast that accents are on: the page in light, the card in dark. */
export const PAPER = { light: '#f4f5f7', dark: '#1b212b' };

const COLOUR = '#1d4fd8';

export function lookOf({ publicName, name, logoUrl, postalAddress, color }: LookFields): Look {
  return {
    ...neutralLook(color),
    name: publicName ?? name,
    logoUrl: logoUrl ?? null,
    postalAddress: postalAddress ?? null,
  };
}

/** Of pages that belong to no project. */
export function neutralLook(colour = COLOUR): Look {
  return {
    name: null,
    logoUrl: null,
    postalAddress: null,
    button: colour,
    onButton: textOn(colour),
    accent: {
      light: readableOn(PAPER.light, colour, '#000000'),
      dark: readableOn(PAPER.dark, colour, '#ffffff'),
    },
  };
}

type LookFields = Pick<Project, 'name' | 'publicName' | 'logoUrl' | 'postalAddress' | 'color'>;
