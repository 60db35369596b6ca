package dev.decant.kafka.work;

import dev.decant.kafka.producer.SendListener;

/** Takes the outcome of the copy of a record under way. */
interface SlotListener extends SendListener {
  /** The record. */
  Slot<?, ?> slot();
}
