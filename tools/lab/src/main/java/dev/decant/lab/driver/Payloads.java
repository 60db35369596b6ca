package dev.decant.lab.driver;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Random;

/** The values that all clients send, made from a seed before the measurement: random bytes, or text like JSON. */
public final class Payloads {
  /** The name of text like JSON: fields that repeat, numbers and words that do not. */
  public static final String TEXT = "json-text";

  private static final int COUNT = 1024;
  private static final String[] WORDS = {"created", "paid", "packed", "shipped", "delivered", "returned", "cancelled"};

  private final byte[][] values = new byte[COUNT][];

  /**
   * Makes the values.
   *
   * @param kind {@code random} or {@link #TEXT}
   * @param sizeBytes length of each value
   * @param seed equal seeds make equal values
   */
  public Payloads(String kind, int sizeBytes, long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < COUNT; i++) {
      values[i] = new byte[sizeBytes];
      random.nextBytes(values[i]);
      if (kind.equals(TEXT)) {
        values[i] = text(sizeBytes, random);
      }
    }
  }

  private static byte[] text(int sizeBytes, Random random) {
    StringBuilder text = new StringBuilder("{");
    while (text.length() < sizeBytes) {
      text.append(String.format(Locale.ROOT, "\"order\":%d,\"state\":\"%s\",\"amount\":%d.%02d,\"customer\":\"c%06d\",",
          random.nextInt(1_000_000), WORDS[random.nextInt(WORDS.length)], random.nextInt(1000), random.nextInt(100),
          random.nextInt(1_000_000)));
    }
    return text.substring(0, sizeBytes).getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Returns a value.
   *
   * @param index any number from 0; values repeat
   * @return the value, which the caller must not change
   */
  public byte[] at(long index) {
    return values[(int) index & COUNT - 1];
  }
}
