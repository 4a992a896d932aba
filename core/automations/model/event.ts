import type { Collection, ObjectId } from 'mongodb';
import type { Due, PropertyType, PropertyValue } from '../../base/model.ts';
import type { TriggerOutcome } from './enrollment.ts';

/** Custom events of contacts. */

export interface EventProperty {
  propertyName: string;
  type: PropertyType;
  description: string;
  suggestedValues: PropertyValue[];
}

export interface EventDefinition {
  _id: ObjectId;
  projectId: ObjectId;
  eventName: string;
  description: string;
  properties: EventProperty[];
  createdAt: Date;
  updatedAt: Date;
}

/** A custom event of a contact. An event that enrolls the contact is its own trigger. */
export interface EventRecord extends Due {
  _id: ObjectId;
  projectId: ObjectId;
  eventName: string;
  contactId: ObjectId;
  properties: Record<string, PropertyValue>;
  createdAt: Date;
  automationIds?: ObjectId[];
  outcomes?: TriggerOutcome[];
}

declare module '../../base/collections.ts' {
  interface Collections {
    eventDefinitions: Collection<EventDefinition>;
    events: Collection<EventRecord>;
  }
}
