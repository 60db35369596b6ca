package dev.decant.kafka.interleaving;

import java.util.Random;

/** Where an order is not prescribed, this decides; the same seed decides the same. */
final class Choices {
  private final Random random;

  Choices(long seed) {
    random = new Random(seed);
  }

  /** One of so many, from 0. */
  int pick(int bound) {
    return random.nextInt(bound);
  }

  /** True once in so many times. */
  boolean oneIn(int times) {
    return random.nextInt(times) == 0;
  }
}
