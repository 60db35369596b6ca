package dev.decant.lab.driver;

import java.util.Random;

/** The values that all clients send: random bytes from a seed, made beforehand. */
final class Payloads {
  private static final int COUNT = 1024;

  private final byte[][] values = new byte[COUNT][];

  Payloads(int sizeBytes, long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < COUNT; i++) {
      values[i] = new byte[sizeBytes];
      random.nextBytes(values[i]);
    }
  }

  byte[] at(long index) {
    return values[(int) index & COUNT - 1];
  }
}
