package dev.decant.kafka.settings;

/** Decant's treatment of one of Kafka's settings. */
public enum Treatment {
  /** The setting has Kafka's meaning. */
  HONOURED,
  /** The setting is accepted and has no effect; the rule says why. */
  NO_EFFECT,
  /** The setting is an error; the rule has the replacement. */
  REFUSED,
  /** The setting is an error until Decant implements it. */
  NOT_YET
}
