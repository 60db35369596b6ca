package dev.decant.kafka.interleaving;

/**
 * What world a member lives in.
 *
 * @param kind how its group works
 * @param autoCommit whether it commits by time, and before it gives up partitions
 * @param stormy whether answers fail, connections break, and time jumps
 */
record Setup(Kind kind, boolean autoCommit, boolean stormy) {
  /** A group protocol, and what an assignor makes of it. */
  enum Kind {
    CONSUMER, EAGER, COOPERATIVE
  }

  static Setup of(Choices choices) {
    return new Setup(Kind.values()[choices.pick(Kind.values().length)], choices.oneIn(2), choices.oneIn(2));
  }
}
