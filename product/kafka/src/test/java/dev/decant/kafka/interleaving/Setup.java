package dev.decant.kafka.interleaving;

/**
 * The world of a member.
 *
 * @param kind how its group works
 * @param autoCommit whether it commits by time and before revocations
 * @param stormy whether requests fail, connections break and time jumps
 */
record Setup(Kind kind, boolean autoCommit, boolean stormy) {
  /** A group protocol, and the kind of its assignor. */
  enum Kind {
    CONSUMER, EAGER, COOPERATIVE
  }

  static Setup of(Choices choices) {
    return new Setup(Kind.values()[choices.pick(Kind.values().length)], choices.oneIn(2), choices.oneIn(2));
  }
}
