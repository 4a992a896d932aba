import type { Collection, ObjectId } from 'mongodb';

/** A marketing mail that counts for its address: it was sent, or may have been, or is about to be. */
export interface Place {
  /** New each time that the mail is claimed: what was decided about an earlier claim of it does not meet this one. */
  _id: ObjectId;
  mailId: ObjectId;
  at: Date;
}

/** The places of one address in a project with a frequency cap. */
export interface FrequencyPlaces {
  /** A hash of the address: see `placesId`. */
  _id: ObjectId;
  projectId: ObjectId;
  places: Place[];
}

declare module '../../base/collections.ts' {
  interface Collections {
    frequencyPlaces: Collection<FrequencyPlaces>;
  }
}
