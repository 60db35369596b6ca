package dev.decant.kafka.interleaving;

import java.util.Random;

/** Decides at random where no order is prescribed; the same seed decides the same. */
final class Choices {
  private final Random random;

  Choices(long seed) {
    random = new Random(seed);
  }

  /** Returns a number from 0 to the bound, exclusive. */
  int pick(int bound) {
    return random.nextInt(bound);
  }

  /** Returns true once in the given number of times. */
  boolean oneIn(int times) {
    return random.nextInt(times) == 0;
  }
}
