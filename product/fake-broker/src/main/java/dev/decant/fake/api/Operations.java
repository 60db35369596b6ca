package dev.decant.fake.api;

/** The operations that a client may do where nothing is forbidden, as bits of their numbers (KIP-430). */
public final class Operations {
  /** Read, write, create, delete, alter, describe, describe and alter configs. */
  public static final int OF_TOPIC = bits(3, 4, 5, 6, 7, 8, 10, 11);
  /** Create, alter, describe, cluster action, describe and alter configs, idempotent write. */
  public static final int OF_CLUSTER = bits(5, 7, 8, 9, 10, 11, 12);
  /** Read, delete, describe. */
  public static final int OF_GROUP = bits(3, 6, 8);

  private Operations() {}

  private static int bits(int... operations) {
    int all = 0;
    for (int operation : operations) {
      all |= 1 << operation;
    }
    return all;
  }
}
