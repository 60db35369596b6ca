package dev.decant.kafka.settings;

/** What Decant does with a setting of Kafka's. */
public enum Treatment {
  /** It has Kafka's meaning. */
  HONOURED,
  /** It is accepted and changes nothing; the rule says why. */
  NO_EFFECT,
  /** It is an error; the rule says what to use instead. */
  REFUSED,
  /** It is an error until Decant can do it. */
  NOT_YET
}
